/** Damage is a mask over the picture: 1 where a pixel is lost. */
import { hideAtRandom } from 'lacuna/image'

export type Mask = Uint8Array<ArrayBuffer>
/** Width and height. */
export type Size = readonly [number, number]
export type Point = readonly [number, number]

/** Pixels lost at random, the same ones for the same seed as on the command line. */
export function lostAtRandom([width, height]: Size, share: number, seed: number): Mask {
  const known = hideAtRandom({ width, height, channels: 1, maximum: 255 }, { share, seed })
  return Uint8Array.from(known, (is) => 1 - is)
}

/** Draws with the canvas' own tools; whatever is more than half covered counts as lost. */
function drawn(
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

/** A stroke of the brush, onto the mask itself. */
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
      // The nearest point of the segment.
      const along = length2 > 0 ? ((x - fromX) * dx + (y - fromY) * dy) / length2 : 0
      const t = Math.min(1, Math.max(0, along))
      if ((x - fromX - t * dx) ** 2 + (y - fromY - t * dy) ** 2 <= radius * radius) mask[y * width + x] = 1
    }
}

/** Lines of writing across the picture. */
export function writing([width, height]: Size, text: string): Mask {
  return drawn(width, height, (context) => {
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

/** Thin scratches, as on an old print. */
export function scratches([width, height]: Size, seed: number): Mask {
  const random = generator(seed)
  return drawn(width, height, (context) => {
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

/** A mask picture: what is dark in it (or transparent) stays, what is light is lost. */
export async function maskFrom(file: Blob, [width, height]: Size): Promise<Mask> {
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

/** What is lost by either. */
export function union(one: Mask | undefined, other: Mask | undefined): Mask | undefined {
  if (!one || !other) return one ?? other
  return one.map((lost, p) => lost | other[p])
}

export function lostShare(mask: Mask): number {
  let lost = 0
  for (const bit of mask) lost += bit
  return lost / mask.length
}

/** The picture with holes in it, where what lies behind shines through. */
export function damaged(picture: ImageData, mask: Mask): ImageData {
  const copy = new ImageData(new Uint8ClampedArray(picture.data), picture.width)
  for (let p = 0; p < mask.length; p++) if (mask[p]) copy.data.fill(0, 4 * p, 4 * p + 4)
  return copy
}

/** Uniform numbers in (0, 1) for drawing. */
function generator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
}
