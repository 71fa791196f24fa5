import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  label: string
  /** Draws at a width; called again when it, or anything in `of`, changes. */
  draw(width: number): Element
  of: readonly unknown[]
}

/** A chart by Observable Plot, as wide as its place. */
export function Chart({ label, draw, of }: Props) {
  const place = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)))
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (width === 0) return
    // In a task of its own: pictures and numbers go first.
    const timer = setTimeout(() => place.current?.replaceChildren(draw(width)))
    return () => clearTimeout(timer)
  }, [width, ...of])
  return <figure class="chart" role="img" aria-label={label} ref={place} />
}
