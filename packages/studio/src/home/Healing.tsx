/**
 * The picture of the first screen: a photograph of which four pixels of five are hidden, and how it comes back.
 * The frames are from a real restoration (scripts/healing.mjs); the page only fades from one to the next. Until
 * they have been loaded, it shows a small copy of the end, which is part of the script.
 */
import { hideAtRandom } from 'lacuna/image'
import { useEffect, useRef, useState } from 'preact/hooks'
import framesUrl from './healing.webp'
import { type Moment, momentAt } from './moment.ts'
import posterUrl from './poster.webp?inline'

/** Size of a frame in pixels, and the fraction of its pixels that are hidden, as in scripts/healing.mjs. */
const [WIDTH, HEIGHT] = [480, 320]
const HIDDEN = 0.8
/** The pictures in the order in which they are shown: damaged, frames of the run, restored. */
type Frames = readonly CanvasImageSource[]

/**
 * The animation of the restoration, with a button that pauses it. With reduced motion it shows only the restored
 * picture.
 */
export function Healing() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [frames, setFrames] = useState<Frames>()
  const [playing, setPlaying] = useState(() => !matchMedia('(prefers-reduced-motion: reduce)').matches)

  useEffect(() => {
    loadFrames().then(setFrames, () => {}) // without the picture, the sentence beside it still says what this is
  }, [])
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!context || !frames) return
    if (!playing) return drawMoment(context, frames, { frame: frames.length - 1, fade: 0 })
    const start = performance.now()
    let request = 0
    let drawn = ''
    const draw = (now: number): void => {
      const moment = momentAt(now - start, frames.length)
      const name = JSON.stringify(moment)
      if (name !== drawn && canvas.current?.offsetParent) drawMoment(context, frames, moment)
      drawn = name
      request = requestAnimationFrame(draw)
    }
    request = requestAnimationFrame(draw)
    return () => cancelAnimationFrame(request)
  }, [frames, playing])

  return (
    <figure class="healing">
      <canvas
        ref={canvas}
        width={WIDTH}
        height={HEIGHT}
        // Hidden pixels are transparent, so that the poster must go when the frames are there.
        style={frames ? undefined : { backgroundImage: `url(${posterUrl})` }}
        role="img"
        aria-label="A photograph of a tower with a fifth of its pixels, and the same photograph restored"
      />
      <figcaption class="soft small">
        <span>80% of the pixels are hidden, then restored. Photo: danielbuechele, CC BY 2.0.</span>
        <button type="button" class="button" onClick={() => setPlaying(!playing)}>
          {playing ? 'Pause' : 'Play'}
        </button>
      </figcaption>
    </figure>
  )
}

/** Draws a moment: a frame, and the next one over it. */
function drawMoment(context: CanvasRenderingContext2D, frames: Frames, { frame, fade }: Moment): void {
  context.globalAlpha = 1
  context.clearRect(0, 0, WIDTH, HEIGHT)
  context.drawImage(frames[frame], 0, 0)
  if (fade === 0) return
  context.globalAlpha = fade
  context.drawImage(frames[frame + 1], 0, 0)
}

/** Loads the frames, which lie one below the other; the last is the original, whose pixels are hidden here. */
async function loadFrames(): Promise<Frames> {
  const sheet = new Image()
  sheet.src = framesUrl
  await sheet.decode()
  const count = Math.round(sheet.naturalHeight / HEIGHT)
  const all = await Promise.all(
    Array.from({ length: count }, (_, i) => createImageBitmap(sheet, 0, i * HEIGHT, WIDTH, HEIGHT)),
  )
  return [hidePixels(all[count - 1]), ...all.slice(0, count - 1)]
}

/** The original without the pixels that were hidden from the run. */
function hidePixels(original: ImageBitmap): OffscreenCanvas {
  const canvas = new OffscreenCanvas(WIDTH, HEIGHT)
  const context = canvas.getContext('2d')!
  context.drawImage(original, 0, 0)
  const image = context.getImageData(0, 0, WIDTH, HEIGHT)
  const picture = { width: WIDTH, height: HEIGHT, channels: 1, maximum: 255 } as const
  const known = hideAtRandom(picture, { share: HIDDEN, seed: 1 })
  for (let p = 0; p < known.length; p++) if (!known[p]) image.data.fill(0, 4 * p, 4 * p + 4)
  context.putImageData(image, 0, 0)
  return canvas
}
