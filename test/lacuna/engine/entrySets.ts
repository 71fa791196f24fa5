/** Makes sets of entries: random ones, and others in another order, in part, or with zeros listed. */

import { draw, hashIndex, mix, stream } from '#lacuna/base/random.js'
import { orderKeys, positionOf } from '#lacuna/engine/cpu/setup/place/order.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { randomTensor } from '../../problems.ts'

/** A random tensor with rows of one segment and of several, and rows without entries, in every mode. */
export const mixedTensor = (seed: number, entries = 20_000): SparseTensor =>
  randomTensor({ dims: [13, 60, 40], entries, seed })

/** The same entries in a random order. */
export function shuffleEntries(tensor: SparseTensor, seed: number): SparseTensor {
  const key = stream(seed, 97)
  const order = Uint32Array.from(tensor.values, (_, e) => e).sort((a, b) => draw(key, a) - draw(key, b))
  return pickEntries(tensor, order)
}

/**
 * Splits entries into training and held-out ones: every seventh row of the second mode is held out. Of
 * entries with equal coordinates, only the last remains.
 */
export function splitHeldOut(tensor: SparseTensor): [SparseTensor, SparseTensor] {
  const byCoordinates = new Map<string, number>()
  for (let e = 0; e < tensor.values.length; e++)
    byCoordinates.set(tensor.indices.map((column) => column[e]).join(), e)
  const entries = Uint32Array.from(byCoordinates.values())
  const isHeld = (e: number): boolean => tensor.indices[1][e] % 7 === 0
  return [
    pickEntries(
      tensor,
      entries.filter((e) => !isHeld(e)),
    ),
    pickEntries(tensor, entries.filter(isHeld)),
  ]
}

/** A tensor that lists every cell but those of `leftOut`: the values of `listed`, and zeros elsewhere. */
export function withZeros(listed: SparseTensor, leftOut?: SparseTensor): SparseTensor {
  const { dims } = listed
  const cellOf = (indices: readonly Uint32Array[], e: number): number =>
    indices.reduce((at, column, i) => at * dims[i] + column[e], 0)
  const cells = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
  listed.values.forEach((x, e) => {
    cells[cellOf(listed.indices, e)] = x
  })
  const out = new Set(Array.from(leftOut?.values ?? [], (_, e) => cellOf(leftOut!.indices, e)))
  const known = [...cells.keys()].filter((at) => !out.has(at))
  let stride = cells.length
  return {
    dims,
    indices: dims.map((dim) => {
      stride /= dim
      return Uint32Array.from(known, (at) => Math.floor(at / stride) % dim)
    }),
    values: Float32Array.from(known, (at) => cells[at]),
  }
}

/** The mean weight of a tensor's entries; 1 without weights. */
export const meanWeight = ({ weights, values }: SparseTensor): number =>
  weights ? weights.reduce((sum, w) => sum + w, 0) / values.length : 1

/** The entries that the engine puts in a probe of about `wanted` entries, by seed and coordinates. */
export function probeOf(tensor: SparseTensor, wanted: number, seed: number): SparseTensor {
  const { hash: key, probe } = orderKeys(seed, tensor.dims.length)
  const limit = Math.ceil((wanted / tensor.values.length) * 2 ** 32)
  const picked = Uint32Array.from(tensor.values.keys()).filter(
    (e) =>
      positionOf(mix(tensor.indices.reduce((hash, column) => hashIndex(hash, column[e]), key)), probe) <
      limit,
  )
  return pickEntries(tensor, picked)
}
