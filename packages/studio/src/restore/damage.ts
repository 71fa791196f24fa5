/** Masks of lost pixels: random pixels, brush strokes, text, scratches and mask files. */
import { InputError } from 'lacuna'
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

/**
 * Marks a straight brush stroke in the mask, in place.
 * @param diameter of the brush in pixels
 * @param value 1 for lost, 0 for the eraser
 */
export function paint(
  mask: Mask,
  [width, height]: Size,
  [fromX, fromY]: Point,
  [toX, toY]: Point,
  diameter: number,
  value: 0 | 1 = 1,
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
      if ((x - fromX - t * dx) ** 2 + (y - fromY - t * dy) ** 2 <= radius * radius)
        mask[y * width + x] = value
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
 * Throws, naming both sizes, if a mask does not have the size of the picture; the size of its file is accepted, too,
 * if the picture was reduced.
 * @param name of the mask's file
 * @param original size of the picture in its file
 */
export function checkMaskSize(name: string, mask: Size, picture: Size, original: Size = picture): void {
  const isSize = ([width, height]: Size): boolean => mask[0] === width && mask[1] === height
  if (isSize(picture) || isSize(original)) return
  throw new InputError(
    'option',
    `${name} is ${mask[0]} × ${mask[1]}, but the picture is ${original[0]} × ${original[1]}; a mask must have its size.`,
  )
}

/**
 * Reads a mask from a picture file: light pixels are lost, dark and transparent ones stay. Throws if the file is
 * no picture or has another size.
 * @param original size of the picture in its file
 */
export async function readMask(file: Blob, name: string, size: Size, original: Size): Promise<Mask> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new InputError('option', `${name} is no picture that this browser can open; give a PNG or JPEG.`)
  })
  checkMaskSize(name, [bitmap.width, bitmap.height], size, original)
  const [width, height] = size
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!
  context.imageSmoothingEnabled = false
  context.drawImage(bitmap, 0, 0, width, height)
  bitmap.close()
  const { data } = context.getImageData(0, 0, width, height)
  const mask = new Uint8Array(width * height)
  for (let p = 0; p < mask.length; p++)
    mask[p] = data[4 * p + 3] > 127 && data[4 * p] + data[4 * p + 1] + data[4 * p + 2] > 382 ? 1 : 0
  return mask
}

/** Marks the lost pixels of another mask in this one, in place. */
export function addMask(mask: Mask, other: Mask): void {
  for (let p = 0; p < mask.length; p++) mask[p] |= other[p]
}

/** The number of lost pixels. */
export function countLost(mask: Mask): number {
  let lost = 0
  for (const bit of mask) lost += bit
  return lost
}

/** Returns a colour as a pixel of four bytes, in the machine's order of bytes. @param colour red, green and blue */
const pixelOf = ([red, green, blue]: readonly number[]): number =>
  new Uint32Array(Uint8Array.of(red, green, blue, 255).buffer)[0]

/** An image of one colour, opaque where pixels are lost and transparent elsewhere. */
export function maskImage(mask: Mask, [width, height]: Size, colour: readonly number[]): ImageData {
  const image = new ImageData(width, height)
  const pixel = pixelOf(colour)
  const pixels = new Uint32Array(image.data.buffer)
  for (let p = 0; p < mask.length; p++) if (mask[p]) pixels[p] = pixel
  return image
}

/**
 * A copy of the picture in which lost pixels have the colour of holes.
 * @param clear pixels that are transparent instead
 */
export function colourHoles(
  picture: ImageData,
  mask: Mask,
  colour: readonly number[],
  clear?: Mask,
): ImageData {
  const copy = new ImageData(new Uint8ClampedArray(picture.data), picture.width)
  const pixel = pixelOf(colour)
  const pixels = new Uint32Array(copy.data.buffer)
  for (let p = 0; p < mask.length; p++) if (mask[p]) pixels[p] = clear?.[p] ? 0 : pixel
  return copy
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
