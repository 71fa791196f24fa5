/** Reduces a picture with holes, and merges the restored small picture into the holes of the large one. */
import { emptyData, type Known, type Picture } from '../picture.ts'
import { smoothValues } from '../smoothStart.ts'

/** Fraction of a cell's pixels that must be known for a reduced pixel to be known. */
const LEAST_KNOWN = 1 / 4

/**
 * Returns a picture of 1/factor of the width and height, whose pixels are the means of the known ones in square
 * cells, and which of its values are known.
 * @param known 1 where a value is known; whole pixels
 */
export function reducePicture(
  picture: Picture,
  known: Known,
  factor: number,
): { picture: Picture; known: Known } {
  const { channels } = picture
  const [width, height] = [Math.ceil(picture.width / factor), Math.ceil(picture.height / factor)]
  const sums = new Float64Array(width * height * channels)
  const counts = new Uint32Array(width * height)
  for (let y = 0, p = 0; y < picture.height; y++)
    for (let x = 0; x < picture.width; x++, p++) {
      if (!known[p * channels]) continue
      const cell = Math.floor(y / factor) * width + Math.floor(x / factor)
      counts[cell]++
      for (let k = 0; k < channels; k++) sums[cell * channels + k] += picture.data[p * channels + k]
    }
  const small = { ...picture, width, height }
  const data = emptyData(small)
  const smallKnown = new Uint8Array(data.length)
  for (let cell = 0; cell < counts.length; cell++) {
    const rows = Math.min(factor, picture.height - Math.floor(cell / width) * factor)
    const columns = Math.min(factor, picture.width - (cell % width) * factor)
    if (counts[cell] < LEAST_KNOWN * rows * columns) continue
    for (let k = 0; k < channels; k++) {
      data[cell * channels + k] = Math.round(sums[cell * channels + k] / counts[cell])
      smallKnown[cell * channels + k] = 1
    }
  }
  return { picture: { ...small, data }, known: smallKnown }
}

/**
 * Returns the values (height × width × channels) of a small picture, interpolated bilinearly at the pixels of one
 * that is `factor` times as large.
 */
export function enlargePicture(
  small: Picture,
  { width, height }: { width: number; height: number },
  factor: number,
): Float32Array {
  const { channels, data } = small
  const values = new Float32Array(width * height * channels)
  const position = (i: number, n: number): [number, number, number] => {
    const at = Math.min(n - 1, Math.max(0, (i + 0.5) / factor - 0.5))
    return [Math.floor(at), Math.min(n - 1, Math.floor(at) + 1), at % 1]
  }
  const across = Array.from({ length: width }, (_, x) => position(x, small.width))
  for (let y = 0, at = 0; y < height; y++) {
    const [top, bottom, down] = position(y, small.height)
    for (let x = 0; x < width; x++) {
      const [left, right, along] = across[x]
      const [a, b] = [(top * small.width + left) * channels, (top * small.width + right) * channels]
      const [c, d] = [(bottom * small.width + left) * channels, (bottom * small.width + right) * channels]
      for (let k = 0; k < channels; k++) {
        const upper = data[a + k] * (1 - along) + data[b + k] * along
        const lower = data[c + k] * (1 - along) + data[d + k] * along
        values[at++] = upper * (1 - down) + lower * down
      }
    }
  }
  return values
}

/**
 * Returns the picture with its holes filled from a small restored one. The enlarged picture differs from the
 * known pixels, by detail and at the borders of holes: a smooth surface through these differences is added to it,
 * so that no border is visible.
 * @param known 1 where a value is known; these stay, bit for bit
 * @param smoothBorders false leaves the differences out, which is faster
 */
export function mergeEnlarged(
  picture: Picture,
  known: Known,
  small: Picture,
  factor: number,
  smoothBorders: boolean,
): Picture {
  const enlarged = enlargePicture(small, picture, factor)
  const differences = smoothBorders
    ? smoothValues(
        enlarged.map((value, at) => picture.data[at] - value),
        known,
        picture,
      )
    : undefined
  const data = emptyData(picture)
  for (let at = 0; at < data.length; at++)
    data[at] = known[at]
      ? picture.data[at]
      : Math.round(Math.min(picture.maximum, Math.max(0, enlarged[at] + (differences?.[at] ?? 0))))
  return { ...picture, data }
}
