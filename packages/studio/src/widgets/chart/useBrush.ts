/** Dragging over a chart to zoom into a part of its horizontal axis. */
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { type Domain, dragDomain } from './zoom.ts'

/** The members of a scale of Observable Plot that are used here. */
interface PlotScale {
  domain?: Iterable<unknown>
  range?: Iterable<unknown>
}

/**
 * Lets the user drag over a chart; calls `onZoom` with the part of the axis under the drag.
 * @param scale returns the horizontal scale of the chart as it is drawn now
 */
export function useBrush(
  container: RefObject<HTMLDivElement | null>,
  enabled: boolean,
  scale: () => PlotScale | undefined,
  onZoom: (domain: Domain) => void,
): void {
  useEffect(() => {
    const element = container.current
    if (!enabled || !element) return
    let start: number | undefined
    let mark: HTMLElement | undefined
    /** The horizontal position of an event in pixels of the chart. */
    const position = (event: PointerEvent): number => event.clientX - element.getBoundingClientRect().left
    const down = (event: PointerEvent): void => {
      // Touches scroll the page: there the buttons zoom.
      if (event.button !== 0 || event.pointerType === 'touch') return
      // Plot would hold its tip at a click, and the browser would select text.
      event.stopPropagation()
      event.preventDefault()
      start = position(event)
    }
    const move = (event: PointerEvent): void => {
      if (start === undefined) return
      const now = position(event)
      if (!mark) {
        if (Math.abs(now - start) < 4) return
        mark = document.createElement('div')
        mark.className = 'brush'
        element.append(mark)
        element.setPointerCapture(event.pointerId)
      }
      mark.style.left = `${Math.min(start, now)}px`
      mark.style.width = `${Math.abs(now - start)}px`
    }
    const up = (event: PointerEvent): void => {
      mark?.remove()
      mark = undefined
      const { domain = [], range = [] } = scale() ?? {}
      const [from, to] = Array.from(domain).map(Number)
      const [left, right] = Array.from(range).map(Number)
      const found =
        start !== undefined && Number.isFinite(from) && Number.isFinite(right)
          ? dragDomain({ domain: [from, to], range: [left, right] }, start, position(event))
          : undefined
      start = undefined
      if (found) onZoom(found)
    }
    element.addEventListener('pointerdown', down, true)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    return () => {
      element.removeEventListener('pointerdown', down, true)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
    }
  }, [enabled])
}
