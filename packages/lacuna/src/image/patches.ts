/**
 * A picture as a tensor of overlapping square patches: patch × pixel in the patch × channel. Every component
 * is then a small pattern in one colour, learned from the whole picture, and every patch a nonnegative sum of
 * such patterns. A pixel lies in several patches; the mean of their predictions has no block edges and is
 * better than any of them.
 */

import { draw, extend } from '../base/random.ts'
import { float32Array, uint32Array } from '../base/sharedArrays.ts'
import type { CpModel } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'

/** Size of a picture. */
export interface Size {
  /** Width in pixels. */
  width: number
  /** Height in pixels. */
  height: number
  /** Values per pixel. */
  channels: number
}

/** The positions of the patches of a picture. */
export interface PatchGrid {
  /** Height of a patch in pixels; at most the picture's. */
  rows: number
  /** Width of a patch in pixels; at most the picture's. */
  columns: number
  /** First pixel row of each row of patches. */
  tops: number[]
  /** First pixel column of each column of patches. */
  lefts: number[]
}

/**
 * Returns where square patches lie over a picture.
 * @param edge the edge of a patch in pixels
 * @param stride the distance from one patch to the next in pixels
 */
export function patchGrid({ width, height }: Size, edge: number, stride: number): PatchGrid {
  const rows = Math.min(edge, height)
  const columns = Math.min(edge, width)
  return {
    rows,
    columns,
    tops: patchStarts(height, rows, stride),
    lefts: patchStarts(width, columns, stride),
  }
}

/**
 * Returns the first pixel of each patch along one axis: every `stride` pixels, and one flush with the end.
 * @param length of the axis
 * @param edge of a patch along it
 */
function patchStarts(length: number, edge: number, stride: number): number[] {
  const found: number[] = []
  for (let first = 0; first < length - edge; first += stride) found.push(first)
  return [...found, length - edge]
}

/** The picture that the entries of a patch tensor are taken from. */
export interface PatchSource extends Size {
  /** Values (height × width × channels). */
  values: Float32Array
  /** 1 where a value is known, 0 in a hole (height × width × channels). */
  known: Uint8Array
  /** A guess for all values; each patch has another random sample of it in its holes. */
  guess?: Float32Array
  /** Fraction of the known values that each patch has as entries. */
  knownFraction: number
  /** Fraction of the guessed values that each patch has as entries. */
  guessFraction: number
  /** Key of the random numbers. */
  key: number
}

/** Patches as a tensor: patch × pixel × channel. */
export interface PatchTensor {
  /** The tensor. */
  tensor: SparseTensor
  /** The positions of the patches. */
  grid: PatchGrid
  /**
   * Row n of mode 1 is the patch at (tops[a], lefts[b]) with patches[n] = a · lefts.length + b; patches
   * without a hole are left out.
   */
  patches: Uint32Array
}

/** Makes the tensor of the patches that have a hole, of a random sample of their known and guessed values. */
export function patchTensor(source: PatchSource, grid: PatchGrid): PatchTensor {
  const { channels, known } = source
  const { rows, columns } = grid
  const patches = Uint32Array.from(patchesWithHoles(source, grid))
  // The first pass counts the entries, the second one takes them: both draw the same random numbers.
  let entries = 0
  forEachEntry(source, grid, patches, () => entries++)
  const indices = [0, 1, 2].map(() => uint32Array(entries))
  const values = float32Array(entries)
  let e = 0
  forEachEntry(source, grid, patches, (n, pixel, channel, at) => {
    indices[0][e] = n
    indices[1][e] = pixel
    indices[2][e] = channel
    values[e++] = known[at] ? source.values[at] : Math.max(0, source.guess![at])
  })
  const dims = [patches.length, rows * columns, channels]
  return { tensor: { dims, indices, values }, grid, patches }
}

/** Yields the numbers of the patches that have a hole: row of patches × patches per row + column. */
function* patchesWithHoles(
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

/**
 * Calls `take` for every sampled value of every patch, the same ones at every call. `at` is the position of
 * the value in the picture.
 * @param patches the numbers of the patches
 */
function forEachEntry(
  { width, channels, known, guess, knownFraction, guessFraction, key }: PatchSource,
  { rows, columns, tops, lefts }: PatchGrid,
  patches: Uint32Array,
  take: (patch: number, pixel: number, channel: number, at: number) => void,
): void {
  const [keepKnown, keepGuess] = [knownFraction * 2 ** 32, guess ? guessFraction * 2 ** 32 : 0]
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

/**
 * Returns the picture (height × width × channels) that a model of patches predicts: each value is the mean
 * over its patches, weighted most in the middle of a patch.
 * @param elsewhere the values of pixels that are in no patch
 */
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

/**
 * Returns the components as pictures of a patch (pixel · channel × R).
 * @param pixels the factor of mode 2
 * @param colours the factor of mode 3
 */
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

/** Returns the weights of a patch's pixels along one axis: a Gaussian around its middle. */
export function bell(length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => Math.exp(-4 * ((i + 0.5) / length - 0.5) ** 2))
}
