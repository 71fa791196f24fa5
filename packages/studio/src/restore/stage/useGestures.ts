/** Hook: pointers, wheel and keys on the stage, which zoom, pan and paint. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Point, Size } from '../damage.ts'
import type { Edit } from '../edits/index.ts'
import { type Position, panBy, pinch, toPicture, toStage, type View, WHOLE, zoomAt } from './viewport.ts'

/** Effect of the pointer: it moves the divider or the picture, or paints. */
export type Tool = 'compare' | 'brush' | 'eraser'

type Stroke = Extract<Edit, { type: 'stroke' }>

interface Options {
  frame: RefObject<HTMLDivElement | null>
  /** The canvas over the picture that shows a stroke until it is drawn. */
  overlay: RefObject<HTMLCanvasElement | null>
  /** Width and height of the picture. */
  size: Size
  tool: Tool
  diameter: number
  onDiameter(diameter: number): void
  onStroke(stroke: Stroke): void
  /** Moves the divider, in percent; undefined if there is none. */
  onDivide?: (position: number) => void
}

/** The largest size of a pixel of the picture on the screen. */
const MOST_PIXEL_SIZE = 12
/** How much a key zooms, and how far it moves the picture, as a fraction of the stage. */
const ZOOM_STEP = 1.25
const PAN_STEP = 0.1

const arrows: Record<string, Position> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Zoom, pan and painting on the stage. */
export function useGestures(options: Options) {
  const { frame, overlay, size, tool, diameter, onStroke, onDivide } = options
  const [view, setView] = useState<View>(WHOLE)
  /** The position of the brush in pixels of the picture, while it is shown. */
  const [cursor, setCursor] = useState<Point>()
  /** Pointers that are down, and the points of the stroke that is being painted. */
  const pointers = useRef(new Map<number, Position>())
  const stroke = useRef<Point[]>(undefined)

  const stageWidth = (): number => frame.current?.clientWidth ?? size[0]
  const mostScale = (): number => (MOST_PIXEL_SIZE * size[0]) / stageWidth()
  const positionOf = ({ clientX, clientY }: MouseEvent): Position => {
    const box = frame.current!.getBoundingClientRect()
    return [(clientX - box.left) / box.width, (clientY - box.top) / box.height]
  }
  const pointAt = (position: Position): Point => {
    const [x, y] = toPicture(view, position)
    return [Math.round(10 * x * size[0]) / 10, Math.round(10 * y * size[1]) / 10]
  }
  const zoom = (factor: number, at: Position = [0.5, 0.5]): void =>
    setView((before) => zoomAt(before, factor, at, mostScale()))

  /** Draws a part of a stroke on the overlay. */
  function showStroke(from: Point, to: Point): void {
    const canvas = overlay.current!
    const [wide, high] = [frame.current!.clientWidth, frame.current!.clientHeight]
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high]
    const context = canvas.getContext('2d')!
    const place = ([x, y]: Point): [number, number] => {
      const [u, v] = toStage(view, [x / size[0], y / size[1]])
      return [u * wide, v * high]
    }
    const { color, outlineColor } = getComputedStyle(canvas)
    context.strokeStyle = tool === 'eraser' ? outlineColor : color
    context.lineCap = 'round'
    context.lineWidth = (diameter * view.scale * wide) / size[0]
    context.beginPath()
    context.moveTo(...place(from))
    context.lineTo(...place(to))
    context.stroke()
  }
  function extendStroke(to: Point): void {
    const points = stroke.current!
    showStroke(points.at(-1) ?? to, to)
    points.push(to)
  }
  function endStroke(): void {
    const points = stroke.current
    stroke.current = undefined
    if (points && points.length > 0) onStroke({ type: 'stroke', points, diameter, erase: tool === 'eraser' })
  }
  /** Forgets a stroke, since a second finger came down. */
  function cancelStroke(): void {
    stroke.current = undefined
    overlay.current!.getContext('2d')!.clearRect(0, 0, overlay.current!.width, overlay.current!.height)
  }

  const handlers = {
    onPointerDown(event: PointerEvent) {
      if (event.target instanceof HTMLButtonElement) return
      frame.current!.setPointerCapture(event.pointerId)
      const position = positionOf(event)
      pointers.current.set(event.pointerId, position)
      if (pointers.current.size > 1) return cancelStroke()
      if (tool !== 'compare' && event.button === 0) {
        stroke.current = []
        extendStroke(pointAt(position))
      } else if (view.scale === 1) onDivide?.(100 * position[0])
    },
    onPointerMove(event: PointerEvent) {
      const position = positionOf(event)
      if (tool !== 'compare') setCursor(pointAt(position))
      const before = pointers.current.get(event.pointerId)
      if (!before) return
      const others = [...pointers.current].filter(([id]) => id !== event.pointerId)
      pointers.current.set(event.pointerId, position)
      if (others.length > 0) {
        const other = others[0][1]
        setView((now) => pinch(now, [before, other], [position, other], mostScale()))
      } else if (stroke.current) extendStroke(pointAt(position))
      else if (view.scale > 1) setView((now) => panBy(now, position[0] - before[0], position[1] - before[1]))
      else if (tool === 'compare') onDivide?.(Math.min(100, Math.max(0, 100 * position[0])))
    },
    onPointerUp(event: PointerEvent) {
      pointers.current.delete(event.pointerId)
      endStroke()
    },
    onPointerCancel(event: PointerEvent) {
      pointers.current.delete(event.pointerId)
      cancelStroke()
    },
    onPointerLeave: () => !stroke.current && setCursor(undefined),
    onKeyDown(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target !== frame.current) return
      if (pressKey(event.key, event.shiftKey)) event.preventDefault()
    },
  }

  /** Acts on a key; returns whether it has a meaning. */
  function pressKey(key: string, shift: boolean): boolean {
    if (key === '+' || key === '=') zoom(ZOOM_STEP)
    else if (key === '-') zoom(1 / ZOOM_STEP)
    else if (key === '0') setView(WHOLE)
    else if (key === '[' || key === ']')
      options.onDiameter(Math.max(2, Math.round(key === ']' ? diameter * 1.2 + 1 : diameter / 1.2)))
    else if (tool !== 'compare' && (key in arrows || key === ' ' || key === 'Enter')) {
      const from = cursor ?? pointAt([0.5, 0.5])
      const [dx, dy] = arrows[key] ?? [0, 0]
      const step = Math.max(1, diameter / 3)
      const to: Point = [
        Math.min(size[0], Math.max(0, from[0] + dx * step)),
        Math.min(size[1], Math.max(0, from[1] + dy * step)),
      ]
      setCursor(to)
      if (shift || !(key in arrows)) {
        showStroke(from, to)
        onStroke({ type: 'stroke', points: [from, to], diameter, erase: tool === 'eraser' })
      }
    } else if (key in arrows && view.scale > 1) {
      const [dx, dy] = arrows[key]
      setView(panBy(view, -dx * PAN_STEP, -dy * PAN_STEP))
    } else return false
    return true
  }

  // The listener is added by hand: Preact's wheel listeners may not be allowed to prevent scrolling.
  useEffect(() => {
    const element = frame.current!
    const onWheel = (event: WheelEvent): void => {
      // The page scrolls over a picture that is not zoomed, unless the user has clicked on it or holds Ctrl.
      const isMeant = event.ctrlKey || event.metaKey || view.scale > 1 || document.activeElement === element
      if (!isMeant || (view.scale === 1 && event.deltaY > 0 && !event.ctrlKey)) return
      event.preventDefault()
      zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), positionOf(event))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [view.scale, size[0]])

  return {
    view,
    cursor,
    handlers,
    zoom,
    showWhole: () => setView(WHOLE),
    /** The size of a pixel of the picture on the screen. */
    pixelSize: (view.scale * stageWidth()) / size[0],
  }
}
