/** Tensors in shared memory. */
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import type { SparseTensor } from '../../../tensor/index.ts'

/**
 * The tensor with arrays in shared memory, which go to worker threads without copies. Arrays that are not
 * shared yet are copied once.
 */
export function toSharedTensor({ dims, indices, values, weights }: SparseTensor): SparseTensor {
  return {
    dims,
    indices: indices.map((column) => toSharedArray(column, uint32Array)),
    values: toSharedArray(values, float32Array),
    weights: weights && toSharedArray(weights, float32Array),
  }
}

function toSharedArray<A extends Uint32Array | Float32Array>(array: A, allocate: (length: number) => A): A {
  if (!(array.buffer instanceof ArrayBuffer)) return array
  const copy = allocate(array.length)
  copy.set(array)
  return copy
}
