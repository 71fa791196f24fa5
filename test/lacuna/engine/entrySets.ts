/** Sets of entries made of others: in another order, in part, or with zeros where there is none. */

import { draw, hashIndex, mix, stream } from '#lacuna/base/random.js'
import { orderKeys, positionOf } from '#lacuna/engine/cpu/setup/place/order.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { randomTensor } from '../../problems.ts'

/** A tensor with rows of several segments, and rows without entries, in every mode. */
export const bumpy = (seed: number, entries = 20_000): SparseTensor =>
  randomTensor({ dims: [13, 60, 40], entries, seed })

/** The same entries, their lines in another order. */
export function shuffled(tensor: SparseTensor, seed: number): SparseTensor {
  const key = stream(seed, 97)
  const order = Uint32Array.from(tensor.values, (_, e) => e).sort((a, b) => draw(key, a) - draw(key, b))
  return pickEntries(tensor, order)
}

/** Entries by their coordinates, most of them and the others; of entries at the same place, the last. */
export function apart(tensor: SparseTensor): [SparseTensor, SparseTensor] {
  const places = new Map<string, number>()
  for (let e = 0; e < tensor.values.length; e++)
    places.set(tensor.indices.map((column) => column[e]).join(), e)
  const entries = Uint32Array.from(places.values())
  const isHeld = (e: number): boolean => tensor.indices[1][e] % 7 === 0
  return [
    pickEntries(
      tensor,
      entries.filter((e) => !isHeld(e)),
    ),
    pickEntries(tensor, entries.filter(isHeld)),
  ]
}

/** Every cell of the tensor but those that are left out, zeros where there is no entry. */
export function withZeros(listed: SparseTensor, leftOut?: SparseTensor): SparseTensor {
  const { dims } = listed
  const place = (indices: readonly Uint32Array[], e: number): number =>
    indices.reduce((at, column, i) => at * dims[i] + column[e], 0)
  const cells = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
  listed.values.forEach((x, e) => {
    cells[place(listed.indices, e)] = x
  })
  const out = new Set(Array.from(leftOut?.values ?? [], (_, e) => place(leftOut!.indices, e)))
  const places = [...cells.keys()].filter((at) => !out.has(at))
  let stride = cells.length
  return {
    dims,
    indices: dims.map((dim) => {
      stride /= dim
      return Uint32Array.from(places, (at) => Math.floor(at / stride) % dim)
    }),
    values: Float32Array.from(places, (at) => cells[at]),
  }
}

export const meanWeight = ({ weights, values }: SparseTensor): number =>
  weights ? weights.reduce((sum, w) => sum + w, 0) / values.length : 1

/** The entries that are in the probe, by seed and coordinates. */
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
