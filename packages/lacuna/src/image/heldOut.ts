/** The known pixels that are held out of surface and model, to determine how they are blended. */
import { countHidden, pickAtRandom } from './damage.ts'
import type { Size } from './patches.ts'
import type { Known } from './picture.ts'

/** Fraction of the known pixels near holes that are held out at random. */
const HELD_OUT = 0.05
/** Largest fraction of hidden pixels near holes at which copies of the holes are held out. */
const MOST_IN_COPIES = 0.4
/** Fraction of the squares in which copies of the holes are held out. */
const SQUARES_WITH_COPIES = 1 / 8
/** Displacement of the copies, in pixels down and right. */
const DISPLACEMENT = [7, 11]
/** Edge in pixels of the squares that are near a hole or not. */
const SQUARE = 16

/**
 * Returns ones at the held-out values, all of them near holes: elsewhere there are no patches and nothing to
 * blend. They are drawn as values are missing: random pixels where most are hidden; else, in random squares,
 * the pixels in a displaced copy of the holes, since single pixels are easier to fill than a scratch.
 * @param key the key of the random numbers
 */
export function pickHeldOut(known: Known, { width, height, channels }: Size, key: number): Uint8Array {
  const pixels = width * height
  const near = markNearHoles(known, { width, height, channels })
  const hidden = countHidden(known) / channels
  const nearby = near.reduce((sum, is) => sum + is, 0)
  const picked =
    hidden > MOST_IN_COPIES * nearby
      ? pickAtRandom(pixels, Math.round(HELD_OUT * pixels), key)
      : pickInCopies(known, { width, height, channels }, key)
  return known.map((is, at) => {
    const p = Math.floor(at / channels)
    return is & picked[p] & near[p]
  })
}

/** Returns ones at the pixels (height × width) of a displaced copy of the holes, in random squares. */
function pickInCopies(known: Known, { width, height, channels }: Size, key: number): Uint8Array {
  const columns = Math.ceil(width / SQUARE)
  const squares = columns * Math.ceil(height / SQUARE)
  const picked = pickAtRandom(squares, Math.ceil(SQUARES_WITH_COPIES * squares), key)
  return Uint8Array.from({ length: width * height }, (_, p) => {
    const [i, j] = [Math.floor(p / width), p % width]
    if (!picked[Math.floor(i / SQUARE) * columns + Math.floor(j / SQUARE)]) return 0
    const original = ((i + DISPLACEMENT[0]) % height) * width + ((j + DISPLACEMENT[1]) % width)
    return known.subarray(original * channels, (original + 1) * channels).includes(0) ? 1 : 0
  })
}

/**
 * Returns ones at the pixels (height × width) of every square that has a hole in it or in a
 * neighbouring square.
 */
function markNearHoles(known: Known, { width, height, channels }: Size): Uint8Array {
  const edge = SQUARE
  const [rows, columns] = [Math.ceil(height / edge), Math.ceil(width / edge)]
  const square = (p: number): [number, number] => [
    Math.floor(p / width / edge),
    Math.floor((p % width) / edge),
  ]
  const marked = new Uint8Array(rows * columns)
  for (let at = known.indexOf(0); at >= 0; at = known.indexOf(0, at + 1)) {
    const [row, column] = square(Math.floor(at / channels))
    for (let i = Math.max(0, row - 1); i <= Math.min(rows - 1, row + 1); i++)
      marked.fill(1, i * columns + Math.max(0, column - 1), i * columns + Math.min(columns, column + 2))
  }
  return Uint8Array.from({ length: width * height }, (_, p) => {
    const [row, column] = square(p)
    return marked[row * columns + column]
  })
}

/** Returns which values are known when the held-out ones are not. */
export function removeHeldOut(known: Known, heldOut: Uint8Array): Known {
  return known.map((is, at) => is & (1 - heldOut[at]))
}
