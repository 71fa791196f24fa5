/** Compares the engine's epochs of stratified SGD with the reference. */
import fc from 'fast-check'
import { hashIndex, mix, purpose, stream } from '#lacuna/base/random.js'
import { divideIntoBlocks, strataBlocks } from '#lacuna/engine/cpu/setup/grid/grid.js'
import { orderKeys, positionOf } from '#lacuna/engine/cpu/setup/place/order.js'
import type { Engine, LoadedProblem } from '#lacuna/engine/engine.js'
import type { Matrix } from '#lacuna/reference/matrix.js'
import { strataSgd } from '#lacuna/reference/strata.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { distance, randomFactors, randomTensor } from '../../problems.ts'
import { demand, demandBelow, matrices, skipsComparisons, withProblem } from './judge.ts'

/** Random problems for stratified SGD. */
export const strataCases = fc.record({
  order: fc.integer({ min: 2, max: 5 }),
  rank: fc.constantFrom(1, 3, 4, 10, 17, 50),
  entries: fc.integer({ min: 1, max: 1500 }),
  rate: fc.constantFrom(0.1, 0.3, 0.6, 1.3),
  seed: fc.integer({ min: 0, max: 2 ** 40 }),
})

/** A problem for stratified SGD; `rate` is η. */
export interface StrataCase {
  order: number
  rank: number
  entries: number
  rate: number
  seed: number
}

/** The sizes of the modes; a problem of order N has the first N. */
const SOME_DIMS = [30, 24, 17, 12, 9]

/**
 * Runs two epochs; demands that factors are close to the reference. Returns the reference's sensitivity: how
 * far it moves when its initial factors change by 3e-6. 0 for engines without strata.
 */
export async function compareStrata(
  engine: Engine,
  { order, rank, entries, rate, seed }: StrataCase,
): Promise<number> {
  const tensor = randomTensor({ dims: SOME_DIMS.slice(0, order), entries, seed })
  const initial = randomFactors(tensor.dims, rank, seed)
  return withProblem(engine, { tensor, rank, momentumFactors: true, strata: true, seed }, async (loaded) => {
    if (!loaded.hasStrata) return 0
    await loaded.writeFactors(initial)
    const least = 0.05
    const step = { kind: 'strata', rate, least } as const
    await loaded.iterate({ first: 0, count: 2, sample: 1, lambda: 0, seed, step })
    const factors = await loaded.readFactors()
    demand(
      factors.every((factor) => factor.every((u) => u >= 0 && u < Infinity)),
      'factors are nonnegative and finite',
    )
    const { momentumFactors } = await loaded.readState()
    demand(
      momentumFactors !== undefined && distance(momentumFactors, matrices(factors, rank)) === 0,
      'no momentum is left',
    )
    if (skipsComparisons()) return 0
    const settings = { rate, minSquares: least, epochs: 2, ...gridOf(tensor, seed) }
    const referenceWith = (by: number): Matrix[] =>
      strataSgd(
        scaledValues(tensor, loaded),
        matrices(initial, rank).map((matrix) => matrix.map((row) => row.map((u) => u * by))),
        settings,
      )
    const reference = referenceWith(1)
    // Where no model fits the values, rows jump between them, and rounding grows.
    const sensitivity = distance(referenceWith(1 + 3e-6).map(flat), reference)
    demandBelow(distance(factors, reference), Math.max(3e-4, 10 * sensitivity), 'difference')
    return sensitivity
  })
}

/** The elements of a matrix, row by row. */
const flat = (matrix: Matrix): Float32Array => Float32Array.from(matrix.flatMap((row) => [...row]))

/** The tensor with values in the scaled units of a loaded problem. */
const scaledValues = (tensor: SparseTensor, { statistics }: LoadedProblem): SparseTensor => ({
  ...tensor,
  values: tensor.values.map((x) => x * statistics.valueScale),
})

/** The blocks of rows, and the entries in the order of the first mode's view: by row, then by hash. */
function gridOf({ dims, indices, values }: SparseTensor, seed: number) {
  const blockCount = strataBlocks(dims.length, values.length)
  const blocks = dims.map((rows, mode) => {
    const lengths = new Uint32Array(rows)
    for (const p of indices[mode]) lengths[p]++
    return divideIntoBlocks(lengths, blockCount, stream(seed, purpose.strata, mode), new Uint32Array(rows))
  })
  const keys = orderKeys(seed, dims.length)
  const positions = Array.from(values, (_, e) =>
    positionOf(mix(indices.reduce((hash, column) => hashIndex(hash, column[e]), keys.hash)), keys.modes[0]),
  )
  const order = [...values.keys()].sort(
    (a, b) => indices[0][a] - indices[0][b] || positions[a] - positions[b],
  )
  return { blocks, blockCount, order }
}
