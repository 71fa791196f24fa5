/** Shows a figure that is drawn as an SVG element. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  title?: string
  draw(): Element
  /** The figure is drawn again when one of these changes. */
  inputs: readonly unknown[]
  children?: ComponentChildren
}

/** A figure of the paper, which has its own size, style and label. */
export function Drawing({ title, draw, inputs, children }: Props) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => container.current?.replaceChildren(draw()))
    return () => clearTimeout(timer)
  }, inputs)
  return (
    <figure class="drawing">
      {title && <figcaption class="figure-title">{title}</figcaption>}
      <div ref={container} />
      {children}
    </figure>
  )
}
