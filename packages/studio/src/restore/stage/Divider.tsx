/** The divider between two versions of a picture: dragged by its handle, or moved by keys. */
import type { RefObject } from 'preact'

interface Props {
  /** Position in percent of the width of the frame. */
  position: number
  frame: RefObject<HTMLElement | null>
  /** The names of the pictures to its left and right. */
  names: readonly [string, string]
  onMove(position: number): void
}

/** A slider over the picture. */
export function Divider({ position, frame, names, onMove }: Props) {
  const move = (to: number): void => onMove(Math.min(100, Math.max(0, to)))
  const keys: Record<string, number> = {
    ArrowLeft: position - 2,
    ArrowRight: position + 2,
    Home: 0,
    End: 100,
  }
  return (
    <div
      class="divider"
      role="slider"
      tabIndex={0}
      aria-label={`Divider between ${names[0]} and ${names[1]}`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(position)}
      style={{ left: `${position}%` }}
      onPointerDown={(event) => {
        event.stopPropagation()
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
        event.stopPropagation()
        const { left, width } = frame.current!.getBoundingClientRect()
        move((100 * (event.clientX - left)) / width)
      }}
      onKeyDown={(event) => {
        if (!(event.key in keys)) return
        event.preventDefault()
        event.stopPropagation()
        move(keys[event.key])
      }}
    />
  )
}
