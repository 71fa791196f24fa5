/** Hook: brings a result into view on screens where settings and results are below each other. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** Screens on which the views have one column, as in the style sheets. */
const ONE_COLUMN = '(max-width: 900px)'

/**
 * Scrolls the element of the returned ref to the top of a narrow screen whenever `ready` becomes true; at once if
 * the user prefers reduced motion. Does nothing if it is true from the start, as after a reload.
 */
export function useBringIntoView<E extends Element>(ready: boolean): RefObject<E | null> {
  const element = useRef<E>(null)
  const wasReady = useRef(ready)
  useEffect(() => {
    if (ready && !wasReady.current && matchMedia(ONE_COLUMN).matches) {
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
      element.current?.scrollIntoView({ block: 'start', behavior: isStill ? 'auto' : 'smooth' })
    }
    wasReady.current = ready
  }, [ready])
  return element
}
