/** Damage of a picture as masks: random pixels, brush strokes, text, scratches and mask files. */
import { hideAtRandom } from 'lacuna/image'

/** One byte per pixel, row by row (height × width): 1 where the pixel is lost. */
export type Mask = Uint8Array<ArrayBuffer>
/** Width and height in pixels. */
export type Size = readonly [number, number]
/** x and y in pixels of the picture. */
export type Point = readonly [number, number]

/**
 * Returns a mask of random lost pixels, the same ones for the same seed as on the command line.
 * @param fraction of the pixels that are lost
 */
export function hidePixels([width, height]: Size, fraction: number, seed: number): Mask {
  const known = hideAtRandom({ width, height, channels: 1, maximum: 255 }, { share: fraction, seed })
  return Uint8Array.from(known, (isKnown) => 1 - isKnown)
}

/** A mask from a drawing on a canvas: pixels that are more than half covered are lost. */
function drawMask(
  width: number,
  height: number,
  draw: (context: OffscreenCanvasRenderingContext2D) => void,
): Mask {
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!
  draw(context)
  const { data } = context.getImageData(0, 0, width, height)
  const mask = new Uint8Array(width * height)
  for (let p = 0; p < mask.length; p++) mask[p] = data[4 * p + 3] > 127 ? 1 : 0
  return mask
}

/** Marks a straight brush stroke as lost in the mask, in place. @param diameter of the brush in pixels */
export function paint(
  mask: Mask,
  [width, height]: Size,
  [fromX, fromY]: Point,
  [toX, toY]: Point,
  diameter: number,
): void {
  const radius = diameter / 2
  const [dx, dy] = [toX - fromX, toY - fromY]
  const length2 = dx * dx + dy * dy
  const bottom = Math.min(height - 1, Math.ceil(Math.max(fromY, toY) + radius))
  const right = Math.min(width - 1, Math.ceil(Math.max(fromX, toX) + radius))
  for (let y = Math.max(0, Math.floor(Math.min(fromY, toY) - radius)); y <= bottom; y++)
    for (let x = Math.max(0, Math.floor(Math.min(fromX, toX) - radius)); x <= right; x++) {
      // The nearest point of the line segment.
      const along = length2 > 0 ? ((x - fromX) * dx + (y - fromY) * dy) / length2 : 0
      const t = Math.min(1, Math.max(0, along))
      if ((x - fromX - t * dx) ** 2 + (y - fromY - t * dy) ** 2 <= radius * radius) mask[y * width + x] = 1
    }
}

/** Returns a mask that covers the picture with slanted lines of text. @param text `lacuna` if it is blank */
export function writeText([width, height]: Size, text: string): Mask {
  return drawMask(width, height, (context) => {
    const size = Math.max(9, Math.round(height / 22))
    context.font = `600 ${size}px Georgia, serif`
    const line = `${text.trim() || 'lacuna'}  ·  `
    const times = Math.ceil((1.6 * width) / Math.max(1, context.measureText(line).width)) + 1
    context.translate(0, height * 0.06)
    context.rotate(-0.06)
    for (let y = size, row = 0; y < height * 1.15; y += 2.1 * size, row++)
      context.fillText(line.repeat(times), -((row * 3.7 * size) % (6 * size)), y)
  })
}

/** Returns a mask of thin random scratches, as on an old print. */
export function drawScratches([width, height]: Size, seed: number): Mask {
  const random = randomNumbers(seed)
  return drawMask(width, height, (context) => {
    context.lineCap = 'round'
    context.lineJoin = 'round'
    const number = 26
    for (let s = 0; s < number; s++) {
      let [x, y] = [random() * width, random() * height]
      const heading = (random() - 0.5) * 1.2 + (random() < 0.7 ? Math.PI / 2 : 0)
      const length = (0.15 + 0.6 * random()) * height
      context.lineWidth = Math.max(1.2, (height / 420) * (1 + 3 * random() ** 2))
      context.beginPath()
      context.moveTo(x, y)
      for (let step = 0; step < 12; step++) {
        const angle = heading + (random() - 0.5) * 0.5
        x += (Math.cos(angle) * length) / 12
        y += (Math.sin(angle) * length) / 12
        context.lineTo(x, y)
      }
      context.stroke()
    }
  })
}

/**
 * Reads a mask from a picture file, scaled to `size`: light pixels are lost, dark and transparent ones stay.
 */
export async function readMask(file: Blob, [width, height]: Size): Promise<Mask> {
  const bitmap = await createImageBitmap(file)
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!
  context.imageSmoothingEnabled = false
  context.drawImage(bitmap, 0, 0, width, height)
  bitmap.close()
  const { data } = context.getImageData(0, 0, width, height)
  const mask = new Uint8Array(width * height)
  for (let p = 0; p < mask.length; p++) {
    const [r, g, b, a] = data.subarray(4 * p, 4 * p + 4)
    mask[p] = a > 127 && r + g + b > 382 ? 1 : 0
  }
  return mask
}

/** Returns the pixels that are lost in either mask; undefined if there is none. */
export function uniteMasks(one: Mask | undefined, other: Mask | undefined): Mask | undefined {
  if (!one || !other) return one ?? other
  return one.map((lost, p) => lost | other[p])
}

/** The fraction of the pixels that are lost. */
export function lostFraction(mask: Mask): number {
  let lost = 0
  for (const bit of mask) lost += bit
  return lost / mask.length
}

/** A copy of the picture in which lost pixels are transparent. */
export function applyMask(picture: ImageData, mask: Mask): ImageData {
  const copy = new ImageData(new Uint8ClampedArray(picture.data), picture.width)
  for (let p = 0; p < mask.length; p++) if (mask[p]) copy.data.fill(0, 4 * p, 4 * p + 4)
  return copy
}

/** Returns a generator of uniform numbers in (0, 1), a linear congruential one, good enough for scratches. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
}
