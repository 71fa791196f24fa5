import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import type { SparseTensor } from '../../../tensor/index.ts'

/** The tensor with arrays that go to worker threads without a copy each: one copy here if they are not so yet. */
export function toSharedTensor({ dims, indices, values, weights }: SparseTensor): SparseTensor {
  return {
    dims,
    indices: indices.map((column) => toSharedArray(column, uint32Array)),
    values: toSharedArray(values, float32Array),
    ...(weights && { weights: toSharedArray(weights, float32Array) }),
  }
}

function toSharedArray<A extends Uint32Array | Float32Array>(array: A, allocate: (length: number) => A): A {
  if (!(array.buffer instanceof ArrayBuffer)) return array
  const copy = allocate(array.length)
  copy.set(array)
  return copy
}
