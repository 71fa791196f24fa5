/** Tensors in shared memory. */
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import type { SparseTensor } from '../../../tensor/index.ts'

/**
 * Returns the tensor with arrays in shared memory, which go to worker threads without copies. Arrays that are
 * shared already are used as they are.
 */
export function toSharedTensor({ dims, indices, values, weights }: SparseTensor): SparseTensor {
  return {
    dims,
    indices: indices.map((column) => toSharedArray(column, uint32Array)),
    values: toSharedArray(values, float32Array),
    weights: weights && toSharedArray(weights, float32Array),
  }
}

/** The array itself if it is in shared memory, else a copy that is. */
function toSharedArray<A extends Uint32Array | Float32Array>(array: A, allocate: (length: number) => A): A {
  if (!(array.buffer instanceof ArrayBuffer)) return array
  const copy = allocate(array.length)
  copy.set(array)
  return copy
}
