/** The large picture, with a divider between two versions of it, or a brush. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Point } from './damage.ts'

/** A picture with the name that is shown on it. */
export interface NamedImage {
  image: ImageData
  name: string
}

interface Props {
  /** The picture to the left of the divider; without it `right` fills the stage. */
  left?: NamedImage
  right: NamedImage
  /** If set, the pointer is a brush of this diameter in pixels of the picture. */
  brush?: { diameter: number; onStroke(from: Point, to: Point): void; onEnd(): void }
  /** Whether to show that the right picture is being updated. */
  busy: boolean
}

/** Shows one picture, or two with a divider that the user drags. */
export function Stage({ left, right, brush, busy }: Props) {
  /** The position of the divider in percent of the width. */
  const [position, setPosition] = useState(50)
  const frame = useRef<HTMLDivElement>(null)
  const { width, height } = right.image

  const drag = (event: PointerEvent): void => {
    const { left: from, width: wide } = frame.current!.getBoundingClientRect()
    setPosition(Math.min(100, Math.max(0, (100 * (event.clientX - from)) / wide)))
  }
  const keys: Record<string, number> = {
    ArrowLeft: position - 2,
    ArrowRight: position + 2,
    Home: 0,
    End: 100,
  }

  return (
    <div
      class={brush ? 'stage painting' : 'stage'}
      ref={frame}
      style={{ aspectRatio: `${width} / ${height}`, maxWidth: `calc(70vh * ${width / height})` }}
      onPointerMove={(event) => !brush && left && event.buttons === 1 && drag(event)}
      onPointerDown={(event) => !brush && left && drag(event)}
    >
      <Canvas image={right.image} label={right.name} />
      {left && <Canvas image={left.image} label={left.name} clip={position} />}
      {brush && <BrushLayer width={width} height={height} {...brush} />}
      {left && (
        <>
          <span class="stage-name" style={{ opacity: position > 14 ? 1 : 0 }}>
            {left.name}
          </span>
          <span class="stage-name end" style={{ opacity: position < 86 ? 1 : 0 }}>
            {right.name}
            {busy && <i class="pulse" />}
          </span>
          <div
            class="divider"
            role="slider"
            tabIndex={0}
            aria-label={`Divider between ${left.name} and ${right.name}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.round(position)}
            style={{ left: `${position}%` }}
            onKeyDown={(event) => {
              if (!(event.key in keys)) return
              event.preventDefault()
              setPosition(Math.min(100, Math.max(0, keys[event.key])))
            }}
          />
        </>
      )}
    </div>
  )
}

/** A canvas that shows an image. @param clip the percentage of the width, from the left, that is visible */
export function Canvas({ image, label, clip }: { image: ImageData; label: string; clip?: number }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    canvas.current?.getContext('2d')?.putImageData(image, 0, 0)
  }, [image])
  return (
    <canvas
      ref={canvas}
      width={image.width}
      height={image.height}
      role="img"
      aria-label={label}
      style={clip === undefined ? {} : { clipPath: `inset(0 ${100 - clip}% 0 0)` }}
    />
  )
}

interface BrushProps {
  width: number
  height: number
  diameter: number
  onStroke(from: Point, to: Point): void
  onEnd(): void
}

/** A layer that records brush strokes and shows the brush; the picture is updated when a stroke has ended. */
function BrushLayer({ width, height, diameter, onStroke, onEnd }: BrushProps) {
  const layer = useRef<HTMLCanvasElement>(null)
  const last = useRef<Point | undefined>(undefined)
  const [hover, setHover] = useState<Point>()
  const pointOf = ({ clientX, clientY }: PointerEvent): Point => {
    const box = layer.current!.getBoundingClientRect()
    return [((clientX - box.left) * width) / box.width, ((clientY - box.top) * height) / box.height]
  }
  const strokeTo = (to: Point): void => {
    const from = last.current ?? to
    onStroke(from, to)
    const context = layer.current!.getContext('2d')!
    context.strokeStyle = getComputedStyle(layer.current!).color
    context.lineCap = 'round'
    context.lineWidth = diameter
    context.beginPath()
    context.moveTo(...from)
    context.lineTo(...to)
    context.stroke()
    last.current = to
  }
  const end = (): void => {
    if (!last.current) return
    last.current = undefined
    onEnd()
    layer.current!.getContext('2d')!.clearRect(0, 0, width, height)
  }
  useEffect(() => {
    addEventListener('pointerup', end)
    return () => removeEventListener('pointerup', end)
  })
  return (
    <>
      <canvas
        ref={layer}
        class="brush-layer"
        width={width}
        height={height}
        aria-label="Paint damage here"
        onPointerDown={(event) => {
          event.preventDefault()
          last.current = undefined
          strokeTo(pointOf(event))
        }}
        onPointerMove={(event) => {
          setHover(pointOf(event))
          if (last.current) strokeTo(pointOf(event))
        }}
        onPointerLeave={() => setHover(undefined)}
      />
      {hover && (
        <span
          class="brush"
          style={{
            left: `${(100 * hover[0]) / width}%`,
            top: `${(100 * hover[1]) / height}%`,
            width: `${(100 * diameter) / width}%`,
          }}
        />
      )}
    </>
  )
}
