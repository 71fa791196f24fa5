/** Random models and tensors for tests of answers, and predictions by definition. */

import { draw, stream, unit } from '#lacuna/base/random.js'
import { CpModel, type CpModelFields } from '#lacuna/model/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

const key = stream(11, 5)
/** A reproducible uniform number in [0, 1). @param at number of the draw */
export const random = (at: number): number => unit(draw(key, at))

/** A model of random factors, some of them zero, with names (user, film, week, place), labels and counts. */
export function randomModel(
  dims: readonly number[],
  rank: number,
  more: Partial<CpModelFields> = {},
): CpModel {
  const names = ['user', 'film', 'week', 'place']
  return new CpModel({
    dims,
    rank,
    factors: dims.map((dim, mode) =>
      Float32Array.from({ length: dim * rank }, (_, at) => Math.max(0, random(1e6 * mode + at) - 0.3)),
    ),
    modes: dims.map((_, mode) => ({ name: names[mode] })),
    labels: dims.map((dim, mode) => Array.from({ length: dim }, (_, row) => `${names[mode][0]}${row}`)),
    observed: {
      ...{ entries: 100, min: 0.1, max: 1.5, mean: 0.7 },
      counts: dims.map((dim, mode) => Uint32Array.from({ length: dim }, (_, row) => (7 * row + mode) % 10)),
      means: dims.map((dim) => new Float32Array(dim).fill(0.7)),
    },
    ...more,
  })
}

/** The indices of every cell, row-major. */
export function cellsOf(dims: readonly number[]): number[][] {
  return dims.reduce<number[][]>(
    (cells, dim) => cells.flatMap((cell) => Array.from({ length: dim }, (_, row) => [...cell, row])),
    [[]],
  )
}

/** The prediction of a cell by definition: Σ_r Π_j a_jr. */
export const predictByDefinition = (
  { rank, factors }: Pick<CpModel, 'rank' | 'factors'>,
  cell: readonly number[],
): number => {
  let sum = 0
  for (let r = 0; r < rank; r++)
    sum += cell.reduce((product, row, mode) => product * factors[mode][row * rank + r], 1)
  return sum
}

/** A tensor of entries, given by their indices and values. */
export function tensorOf(
  dims: readonly number[],
  cells: readonly number[][],
  values: readonly number[],
): SparseTensor {
  return {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode])),
    values: Float32Array.from(values),
  }
}
