/**
 * How much of a model and how much of a smooth surface to take, place by place. Where texture is fine the model knows more,
 * where the picture is smooth the surface does. Known values that neither was told (judges) decide: the share
 * a of start + a (guess − start) that is closest to them in the neighbourhood.
 */
import type { Size } from './patches.ts'

/** Cells of this edge, in pixels, with their eight neighbours make a neighbourhood. */
const CELL = 64

export interface Judgement {
  /** Known values, and ones at those that judge (height × width × channels). */
  values: Float32Array
  judges: Uint8Array
  start: Float32Array
  guess: Float32Array
}

/** The share of the guess at each pixel (height × width), from 0 to 1. */
export function modelShares(
  { values, judges, start, guess }: Judgement,
  { width, height, channels }: Size,
): Float32Array {
  const rows = Math.ceil(height / CELL)
  const columns = Math.ceil(width / CELL)
  const along = new Float64Array(rows * columns)
  const squares = new Float64Array(rows * columns)
  for (let at = 0; at < values.length; at++) {
    if (!judges[at]) continue
    const p = Math.floor(at / channels)
    const cell = Math.floor(p / width / CELL) * columns + Math.floor((p % width) / CELL)
    const step = guess[at] - start[at]
    along[cell] += step * (values[at] - start[at])
    squares[cell] += step * step
  }
  const sum = (of: Float64Array): number => of.reduce((total, x) => total + x, 0)
  const [alongAll, squaresAll] = [sum(along), sum(squares)]
  // The picture as a whole has a say like that of a few cells: alone, a cell's judges are too few.
  const trust = squaresAll > 0 ? (4 * squaresAll) / squares.length : 1
  const overall = squaresAll > 0 ? clamp(alongAll / squaresAll) : 1
  const shares = new Float32Array(rows * columns)
  for (let a = 0; a < rows; a++)
    for (let b = 0; b < columns; b++) {
      let [above, below] = [trust * overall, trust]
      for (let i = Math.max(0, a - 1); i <= Math.min(rows - 1, a + 1); i++)
        for (let j = Math.max(0, b - 1); j <= Math.min(columns - 1, b + 1); j++) {
          above += along[i * columns + j]
          below += squares[i * columns + j]
        }
      shares[a * columns + b] = clamp(above / below)
    }
  return spread(shares, rows, columns, width, height)
}

const clamp = (x: number): number => Math.min(1, Math.max(0, x))

/** Bilinear between the cells' centres, so that no cell's border shows. */
function spread(
  shares: Float32Array,
  rows: number,
  columns: number,
  width: number,
  height: number,
): Float32Array {
  const place = (i: number, cells: number): [number, number, number] => {
    const at = Math.min(cells - 1, Math.max(0, (i + 0.5) / CELL - 0.5))
    return [Math.floor(at), Math.min(cells - 1, Math.floor(at) + 1), at % 1]
  }
  const across = Array.from({ length: width }, (_, j) => place(j, columns))
  const shareAt = new Float32Array(width * height)
  for (let i = 0; i < height; i++) {
    const [top, bottom, down] = place(i, rows)
    for (let j = 0; j < width; j++) {
      const [left, right, along] = across[j]
      const upper = shares[top * columns + left] * (1 - along) + shares[top * columns + right] * along
      const lower = shares[bottom * columns + left] * (1 - along) + shares[bottom * columns + right] * along
      shareAt[i * width + j] = upper * (1 - down) + lower * down
    }
  }
  return shareAt
}
