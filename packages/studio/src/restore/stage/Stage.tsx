/** The large picture: two versions of it with a divider, zoom and pan, and a brush. */
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Edit } from '../edits/index.ts'
import { Divider } from './Divider.tsx'
import { type Tool, useGestures } from './useGestures.ts'
import { toStage } from './viewport.ts'

interface Props {
  /** The original picture. */
  picture: { bitmap: ImageBitmap; width: number; height: number }
  /** The picture with its holes; undefined before it is drawn. */
  damaged: ImageBitmap | undefined
  /** The canvas that shows it, and that of the restored picture, which the caller draws. */
  canvases: Canvases
  /** The pictures on both sides of the divider; undefined if there is no divider. */
  compare?: { left: 'Original' | 'Damaged'; right: 'Damaged' | 'Restored' }
  tool: Tool
  /** The diameter of the brush in pixels of the picture. */
  diameter: number
  onDiameter(diameter: number): void
  onStroke(stroke: Extract<Edit, { type: 'stroke' }>): void
  /** Whether to show that the restored picture is being updated. */
  busy: boolean
}

/** The canvases of the picture's versions, of its size. */
export interface Canvases {
  damaged: RefObject<HTMLCanvasElement | null>
  restored: RefObject<HTMLCanvasElement | null>
}

/** Shows one picture, or two with a divider that the user drags. */
export function Stage(props: Props) {
  const { picture, damaged, canvases, compare, tool, diameter, busy } = props
  const { width, height } = picture
  /** The position of the divider in percent of the width. */
  const [position, setPosition] = useState(50)
  const frame = useRef<HTMLDivElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const original = useRef<HTMLCanvasElement>(null)
  const gestures = useGestures({
    ...{ frame, overlay, size: [width, height], tool, diameter },
    ...{ onDiameter: props.onDiameter, onStroke: props.onStroke },
    onDivide: compare && setPosition,
  })
  const { view, cursor } = gestures

  // A new picture is shown whole; strokes are shown by the mask that was drawn after them.
  useEffect(() => gestures.showWhole(), [picture])
  useLayoutEffect(() => {
    const canvas = overlay.current!
    canvas.getContext('2d')!.clearRect(0, 0, canvas.width, canvas.height)
  }, [damaged, picture])

  const transform = `translate(${100 * view.x}%, ${100 * view.y}%) scale(${view.scale})`
  const style = { transform, imageRendering: gestures.pixelSize > 3 ? 'pixelated' : 'auto' } as const
  const [toLeft, toRight] = [`inset(0 ${100 - position}% 0 0)`, `inset(0 0 0 ${position}%)`]
  const isRestored = compare?.right === 'Restored'
  const at = cursor && toStage(view, [cursor[0] / width, cursor[1] / height])

  return (
    <div
      class={`stage ${tool === 'compare' ? '' : 'painting'} ${view.scale > 1 ? 'zoomed' : ''}`}
      ref={frame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom the picture and move the brush
      tabIndex={0}
      role="application"
      aria-label="Picture"
      aria-describedby="stage-keys"
      style={{ aspectRatio: `${width} / ${height}`, '--ratio': width / height }}
      {...gestures.handlers}
    >
      <div class="stage-layer">
        <BitmapLayer bitmap={picture.bitmap} canvas={original} label="Original" style={style} />
      </div>
      <div
        class="stage-layer"
        style={{
          clipPath: isRestored ? toLeft : compare ? toRight : undefined,
          visibility: isRestored && compare.left === 'Original' ? 'hidden' : 'visible',
        }}
      >
        <BitmapLayer bitmap={damaged} canvas={canvases.damaged} label="Damaged" style={style} />
      </div>
      <div class="stage-layer" style={{ clipPath: toRight, visibility: isRestored ? 'visible' : 'hidden' }}>
        <canvas ref={canvases.restored} {...{ width, height, style }} role="img" aria-label="Restored" />
      </div>
      <canvas ref={overlay} class="brush-layer" />
      {at && tool !== 'compare' && (
        <span
          class="brush"
          style={{
            left: `${100 * at[0]}%`,
            top: `${100 * at[1]}%`,
            width: `${(100 * diameter * view.scale) / width}%`,
          }}
        />
      )}
      {compare && (
        <>
          <span class="stage-name" style={{ opacity: position > 14 ? 1 : 0 }}>
            {compare.left}
          </span>
          <span class="stage-name end" style={{ opacity: position < 86 ? 1 : 0 }}>
            {compare.right}
            {busy && <i class="pulse" />}
          </span>
          <Divider {...{ position, frame }} names={[compare.left, compare.right]} onMove={setPosition} />
        </>
      )}
      <div class="stage-zoom">
        <button type="button" class="button" aria-label="Zoom in" onClick={() => gestures.zoom(1.6)}>
          +
        </button>
        <button
          type="button"
          class="button"
          aria-label="Zoom out"
          disabled={view.scale === 1}
          onClick={() => gestures.zoom(1 / 1.6)}
        >
          −
        </button>
        {view.scale > 1 && (
          <button type="button" class="button" onClick={gestures.showWhole}>
            Fit
          </button>
        )}
      </div>
      <p id="stage-keys" class="visually-hidden">
        Plus and minus zoom, 0 shows the whole picture, arrow keys move it. With the brush or eraser, arrow
        keys move the brush, space applies it, shift and arrow keys draw, and square brackets change its size.
      </p>
    </div>
  )
}

/** A canvas that shows a bitmap, which it takes over. */
function BitmapLayer({
  bitmap,
  canvas,
  label,
  style,
}: {
  bitmap: ImageBitmap | undefined
  canvas: RefObject<HTMLCanvasElement | null>
  label: string
  style: { transform: string }
}) {
  useLayoutEffect(() => {
    if (!bitmap || bitmap.width === 0) return // taken over already
    canvas.current!.width = bitmap.width
    canvas.current!.height = bitmap.height
    canvas.current!.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap)
  }, [bitmap])
  return <canvas ref={canvas} style={style} role="img" aria-label={label} />
}
