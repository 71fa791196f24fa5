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
  const pickFloats = (from: Float32Array): Float32Array =>
    pickNumbers(from, entries, float32Array(entries.length))
  return {
    ...checked,
    indices: checked.indices.map((column) => pickNumbers(column, entries, uint32Array(entries.length))),
    values: pickFloats(checked.values),
    ...(checked.weights && { weights: pickFloats(checked.weights) }),
  }
}

/**
 * Copies the numbers of some entries.
 * @param numbers one per entry of a tensor
 * @param entries which ones, in the order in which they are copied
 * @param to receives the copy, and is returned
 */
export function pickNumbers<A extends Uint32Array | Float32Array | Uint8Array>(
  numbers: A,
  entries: Uint32Array,
  to: A,
): A {
  for (let i = 0; i < entries.length; i++) to[i] = numbers[entries[i]]
  return to
}
