/** Before and after: two pictures side by side in one, or an animation that wipes from one to the other. */
import { InputError } from 'lacuna'
import { joinWebp, type WebpFrame } from './animatedWebp.ts'

/** The longest edge of an animation in pixels: it is for messages and web pages. */
const ANIMATION_EDGE = 960
/** The longest edge of both pictures side by side. */
const MOST_EDGE = 8192
/** Frames of a wipe, how long each is shown, and how long the pictures themselves are, in milliseconds. */
const STEPS = 14
const STEP_MS = 60
const REST_MS = 1100
/** Quality of lossy WebP, 0 to 1. */
const QUALITY = 0.82

/** Returns the fraction of the restored picture that each frame shows, from the left, and its duration. */
export function wipeFrames(): { shown: number; duration: number }[] {
  const steps = Array.from({ length: STEPS }, (_, n) => {
    const t = (n + 1) / (STEPS + 1)
    return { shown: t * t * (3 - 2 * t), duration: STEP_MS }
  })
  return [
    { shown: 0, duration: REST_MS },
    ...steps,
    { shown: 1, duration: 2 * REST_MS },
    ...steps.map(({ shown, duration }) => ({ shown: 1 - shown, duration })),
  ]
}

/** Makes a PNG file of both pictures side by side: portraits beside each other, landscapes above each other. */
export async function drawBeforeAfter(before: OffscreenCanvas, after: OffscreenCanvas): Promise<Blob> {
  const { width, height } = before
  const gap = Math.max(4, Math.round(Math.min(width, height) / 80))
  const isBeside = height >= width
  const [wide, high] = isBeside ? [2 * width + gap, height] : [width, 2 * height + gap]
  const scale = Math.min(1, MOST_EDGE / Math.max(wide, high))
  const canvas = new OffscreenCanvas(Math.round(wide * scale), Math.round(high * scale))
  const context = canvas.getContext('2d')!
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.scale(scale, scale)
  context.drawImage(before, 0, 0)
  context.drawImage(after, isBeside ? width + gap : 0, isBeside ? 0 : height + gap)
  return canvas.convertToBlob({ type: 'image/png' })
}

/** Makes an animated WebP file that wipes from one picture to the other and back. Throws without an encoder. */
export async function animateBeforeAfter(before: OffscreenCanvas, after: OffscreenCanvas): Promise<Blob> {
  const scale = Math.min(1, ANIMATION_EDGE / Math.max(before.width, before.height))
  const [width, height] = [Math.round(before.width * scale), Math.round(before.height * scale)]
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  const [small, smallAfter] = [shrink(before, width, height), shrink(after, width, height)]
  const frames: WebpFrame[] = []
  for (const { shown, duration } of wipeFrames()) {
    context.drawImage(small, 0, 0)
    const edge = Math.round(shown * width)
    if (edge > 0) context.drawImage(smallAfter, 0, 0, edge, height, 0, 0, edge, height)
    if (edge > 0 && edge < width) {
      context.fillStyle = '#fff'
      context.fillRect(edge - 1, 0, 2, height)
    }
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: QUALITY })
    if (blob.type !== 'image/webp')
      throw new InputError('option', 'This browser cannot write WebP; save before and after as PNG.')
    frames.push({ file: new Uint8Array(await blob.arrayBuffer()), duration })
  }
  return new Blob([joinWebp(frames, { width, height })], { type: 'image/webp' })
}

/** A smaller copy of a picture. */
function shrink(picture: OffscreenCanvas, width: number, height: number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, width, height)
  return canvas
}
