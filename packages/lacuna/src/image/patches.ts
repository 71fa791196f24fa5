/**
 * A picture as a tensor of overlapping square patches: patch × pixel in the patch × channel. Every component is then a
 * small pattern in one colour, learned from the whole picture, and every patch a nonnegative sum of such patterns. A pixel
 * lies in several patches; the mean of what they say has no block edges and is better than any of them.
 */

import { draw, extend } from '../base/random.ts'
import { float32Array, uint32Array } from '../base/sharedArrays.ts'
import type { CpModel } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'

export interface Size {
  width: number
  height: number
  channels: number
}

export interface PatchGrid {
  /** Edge of a patch, in pixels; at most the picture's. */
  rows: number
  columns: number
  /** First pixel of each patch: tops[a], lefts[b]. */
  tops: number[]
  lefts: number[]
}

export function patchGrid({ width, height }: Size, edge: number, stride: number): PatchGrid {
  const rows = Math.min(edge, height)
  const columns = Math.min(edge, width)
  return { rows, columns, tops: firsts(height, rows, stride), lefts: firsts(width, columns, stride) }
}

/** Every `stride` pixels, and one flush with the end. */
function firsts(length: number, edge: number, stride: number): number[] {
  const found: number[] = []
  for (let first = 0; first < length - edge; first += stride) found.push(first)
  return [...found, length - edge]
}

/** What the entries of a patch tensor are taken from. */
export interface PatchSource extends Size {
  /** (height × width × channels) */
  values: Float32Array
  known: Uint8Array
  /** A guess for all values. In each patch another random part of it speaks for the holes, where it is given. */
  guess?: Float32Array
  /** The share of the known values that each patch takes, and of the guessed ones. */
  knownShare: number
  guessShare: number
  key: number
}

export interface PatchTensor {
  tensor: SparseTensor
  grid: PatchGrid
  /** patches[n] is the place a · lefts.length + b of row n of mode 1: patches without a hole are left out. */
  patches: Uint32Array
}

export function patchTensor(source: PatchSource, grid: PatchGrid): PatchTensor {
  const { channels, known } = source
  const { rows, columns } = grid
  const patches = Uint32Array.from(holed(source, grid))
  // A first walk counts the entries, the second one takes them: both make the same draws.
  let entries = 0
  walk(source, grid, patches, () => entries++)
  const indices = [0, 1, 2].map(() => uint32Array(entries))
  const values = float32Array(entries)
  let e = 0
  walk(source, grid, patches, (n, pixel, channel, at) => {
    indices[0][e] = n
    indices[1][e] = pixel
    indices[2][e] = channel
    values[e++] = known[at] ? source.values[at] : Math.max(0, source.guess![at])
  })
  const dims = [patches.length, rows * columns, channels]
  return { tensor: { dims, indices, values }, grid, patches }
}

function* holed(
  { width, channels, known }: PatchSource,
  { rows, columns, tops, lefts }: PatchGrid,
): Generator<number> {
  for (const [a, top] of tops.entries())
    for (const [b, left] of lefts.entries()) {
      let whole = true
      for (let i = 0; i < rows && whole; i++) {
        const start = ((top + i) * width + left) * channels
        whole = known.subarray(start, start + columns * channels).indexOf(0) < 0
      }
      if (!whole) yield a * lefts.length + b
    }
}

function walk(
  { width, channels, known, guess, knownShare, guessShare, key }: PatchSource,
  { rows, columns, tops, lefts }: PatchGrid,
  patches: Uint32Array,
  take: (patch: number, pixel: number, channel: number, at: number) => void,
): void {
  const [keepKnown, keepGuess] = [knownShare * 2 ** 32, guess ? guessShare * 2 ** 32 : 0]
  for (let n = 0; n < patches.length; n++) {
    const [top, left] = [tops[Math.floor(patches[n] / lefts.length)], lefts[patches[n] % lefts.length]]
    const draws = extend(key, patches[n])
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        const bits = draw(draws, i * columns + j)
        const first = ((top + i) * width + left + j) * channels
        for (let k = 0; k < channels; k++)
          if (bits < (known[first + k] ? keepKnown : keepGuess)) take(n, i * columns + j, k, first + k)
      }
  }
}

/** What the model says of the picture: for each value the mean over its patches, the middle of a patch counting most. */
export function averagePatches(
  { factors, rank }: CpModel,
  { grid, patches }: PatchTensor,
  { width, height, channels }: Size,
  elsewhere: Float32Array,
): Float32Array {
  const { rows, columns, tops, lefts } = grid
  const patterns = patternsOf(factors[1], factors[2], rank, channels)
  const [down, along] = [bell(rows), bell(columns)]
  const sums = new Float32Array(width * height * channels)
  const total = new Float32Array(width * height)
  for (let n = 0; n < patches.length; n++) {
    const [top, left] = [tops[Math.floor(patches[n] / lefts.length)], lefts[patches[n] % lefts.length]]
    const code = factors[0].subarray(n * rank, (n + 1) * rank)
    let pattern = 0
    for (let i = 0; i < rows; i++)
      for (let j = 0; j < columns; j++) {
        const p = (top + i) * width + left + j
        const weight = down[i] * along[j]
        total[p] += weight
        for (let k = 0; k < channels; k++, pattern += rank) {
          let y = 0
          for (let r = 0; r < rank; r++) y += code[r] * patterns[pattern + r]
          sums[p * channels + k] += weight * y
        }
      }
  }
  return sums.map((sum, at) => {
    const weight = total[Math.floor(at / channels)]
    return weight > 0 ? sum / weight : elsewhere[at]
  })
}

/** (pixel · channel × R): what component r looks like in a patch. */
function patternsOf(
  pixels: Float32Array,
  colours: Float32Array,
  rank: number,
  channels: number,
): Float32Array {
  const patterns = new Float32Array(pixels.length * channels)
  let at = 0
  for (let pixel = 0; pixel < pixels.length; pixel += rank)
    for (let k = 0; k < channels; k++)
      for (let r = 0; r < rank; r++) patterns[at++] = pixels[pixel + r] * colours[k * rank + r]
  return patterns
}

function bell(length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.exp(-4 * ((i + 0.5) / length - 0.5) ** 2))
}
