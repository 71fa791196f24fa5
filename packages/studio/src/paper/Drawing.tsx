import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  title?: string
  draw(): Element
  /** Drawn anew when any of these changes. */
  of: readonly unknown[]
  children?: ComponentChildren
}

/** A figure of the paper, which brings its own size, style and label. */
export function Drawing({ title, draw, of, children }: Props) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => place.current?.replaceChildren(draw()))
    return () => clearTimeout(timer)
  }, of)
  return (
    <figure class="drawing">
      {title && <figcaption class="figure-title">{title}</figcaption>}
      <div ref={place} />
      {children}
    </figure>
  )
}
