/** Chart by Observable Plot that follows the width of its container. */
import { useEffect, useRef, useState } from 'preact/hooks'

interface Props {
  label: string
  /** Draws the chart at a width in pixels. */
  draw(width: number): Element
  /** The chart is drawn again when one of these changes. */
  inputs: readonly unknown[]
}

/** Draws a chart at the width of its container. */
export function Chart({ label, draw, inputs }: Props) {
  const container = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([{ contentRect }]) => setWidth(Math.floor(contentRect.width)))
    observer.observe(container.current!)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    if (width === 0) return
    // In a task of its own, so that pictures and numbers are updated first.
    const timer = setTimeout(() => container.current?.replaceChildren(draw(width)))
    return () => clearTimeout(timer)
  }, [width, ...inputs])
  return <figure class="chart" role="img" aria-label={label} ref={container} />
}
