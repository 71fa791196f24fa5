/** Selection of entries by number. */
import { float32Array, uint32Array } from '../base/sharedArrays.ts'
import { checkDeferred } from './duplicates/deferredCheck.ts'
import type { SparseTensor } from './sparseTensor.ts'

/**
 * Returns the tensor of some entries, in the order given. Makes a deferred duplicate check first: afterwards
 * two equal coordinates might no longer be together.
 * @param entries their numbers in `tensor`
 */
export function pickEntries(tensor: SparseTensor, entries: Uint32Array): SparseTensor {
  const checked = checkDeferred(tensor)
  const pick = <A extends Uint32Array | Float32Array>(from: A, to: A): A => {
    for (let e = 0; e < entries.length; e++) to[e] = from[entries[e]]
    return to
  }
  return {
    ...checked,
    indices: checked.indices.map((column) => pick(column, uint32Array(entries.length))),
    values: pick(checked.values, float32Array(entries.length)),
    ...(checked.weights && { weights: pick(checked.weights, float32Array(entries.length)) }),
  }
}
