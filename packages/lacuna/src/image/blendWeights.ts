/**
 * Blend weights of a model against a surface, for every pixel. Where texture is fine the model may be better,
 * where the picture is smooth the surface. The weight a of start + a (guess − start) is fitted by
 * least squares to the known values of the neighbourhood that were held out of both.
 */
import type { Size } from './patches.ts'

/** The edge of a cell in pixels. The neighbourhood of a cell is the cell with its eight neighbours. */
const CELL = 64
/** Held-out values that the weight of the whole picture counts as in a cell, and the prior one in the picture. */
const PRIOR_VALUES = 1000

/** The data that blend weights are fitted to, each (height × width × channels). */
export interface BlendData {
  /** Known values. */
  values: Float32Array
  /** Ones at the values that were held out. */
  heldOut: Uint8Array
  /** The surface. */
  start: Float32Array
  /** The values of the model. */
  guess: Float32Array
}

/**
 * Returns the weight of the model at each pixel (height × width), from 0 (the surface alone) to 1 (the model
 * alone).
 * @param prior the weight where nothing is held out; few held-out values change it little
 */
export function blendWeights(
  { values, heldOut, start, guess }: BlendData,
  { width, height, channels }: Size,
  prior: 0 | 1,
): Float32Array {
  const rows = Math.ceil(height / CELL)
  const columns = Math.ceil(width / CELL)
  const along = new Float64Array(rows * columns)
  const squares = new Float64Array(rows * columns)
  let count = 0
  for (let at = 0; at < values.length; at++) {
    if (!heldOut[at]) continue
    const p = Math.floor(at / channels)
    const cell = Math.floor(p / width / CELL) * columns + Math.floor((p % width) / CELL)
    const step = guess[at] - start[at]
    along[cell] += step * (values[at] - start[at])
    squares[cell] += step * step
    count++
  }
  const sum = (numbers: Float64Array): number => numbers.reduce((total, x) => total + x, 0)
  const squaresAll = sum(squares)
  const priorSquares = (PRIOR_VALUES * squaresAll) / Math.max(1, count)
  const overall =
    squaresAll > 0 ? clampToUnit((sum(along) + prior * priorSquares) / (squaresAll + priorSquares)) : prior
  // The weights of cells shrink towards that of the whole picture: a cell's held-out values are too few.
  const trust = squaresAll > 0 ? priorSquares : 1
  const weights = new Float32Array(rows * columns)
  for (let a = 0; a < rows; a++)
    for (let b = 0; b < columns; b++) {
      let [above, below] = [trust * overall, trust]
      for (let i = Math.max(0, a - 1); i <= Math.min(rows - 1, a + 1); i++)
        for (let j = Math.max(0, b - 1); j <= Math.min(columns - 1, b + 1); j++) {
          above += along[i * columns + j]
          below += squares[i * columns + j]
        }
      weights[a * columns + b] = clampToUnit(above / below)
    }
  return interpolateCells(weights, rows, columns, width, height)
}

/**
 * Returns base + weight · (guess − start) at each value (height × width × channels).
 * @param weights of pixels (height × width)
 */
export function addWeighted(
  base: Float32Array,
  weights: Float32Array,
  { start, guess }: Pick<BlendData, 'start' | 'guess'>,
): Float32Array {
  const channels = base.length / weights.length
  return base.map((value, at) => value + weights[Math.floor(at / channels)] * (guess[at] - start[at]))
}

/** Limits a number to [0, 1]. */
const clampToUnit = (x: number): number => Math.min(1, Math.max(0, x))

/**
 * Returns the weight of each pixel (height × width), interpolated bilinearly between the centres of cells, so
 * that no border of a cell is visible.
 * @param weights per cell (rows × columns)
 */
function interpolateCells(
  weights: Float32Array,
  rows: number,
  columns: number,
  width: number,
  height: number,
): Float32Array {
  const position = (i: number, cells: number): [number, number, number] => {
    const at = Math.min(cells - 1, Math.max(0, (i + 0.5) / CELL - 0.5))
    return [Math.floor(at), Math.min(cells - 1, Math.floor(at) + 1), at % 1]
  }
  const across = Array.from({ length: width }, (_, j) => position(j, columns))
  const weightAt = new Float32Array(width * height)
  for (let i = 0; i < height; i++) {
    const [top, bottom, down] = position(i, rows)
    for (let j = 0; j < width; j++) {
      const [left, right, along] = across[j]
      const upper = weights[top * columns + left] * (1 - along) + weights[top * columns + right] * along
      const lower = weights[bottom * columns + left] * (1 - along) + weights[bottom * columns + right] * along
      weightAt[i * width + j] = upper * (1 - down) + lower * down
    }
  }
  return weightAt
}
