/** A dense part of a tensor: what was observed there, and what the model says of the rest. */
import type { SparseTensor } from '../../tensor/index.ts'
import type { TensorModel } from '../tensorModel.ts'

/** A dense part of a tensor, and which of its values were predicted. */
export interface FilledSlice {
  /** The modes that are free, and their sizes. */
  free: number[]
  dims: number[]
  /** Row-major. */
  values: Float32Array
  /** 1 where a value was predicted, 0 where it was observed. */
  inferred: Uint8Array
}

/** A part of a tensor with its gaps filled: a number fixes that mode's row, null takes the whole mode. */
export function fillSlice(
  model: TensorModel,
  fixed: readonly (number | null)[],
  observed?: SparseTensor,
  options?: { clip?: boolean },
): FilledSlice {
  const { dims, values } = model.slice(fixed, options)
  const free = fixed.flatMap((row, mode) => (row === null ? [mode] : []))
  const inferred = new Uint8Array(values.length).fill(1)
  if (observed) {
    const { indices, values: seen } = observed
    for (let e = 0; e < seen.length; e++) {
      if (!fixed.every((row, mode) => row === null || indices[mode][e] === row)) continue
      const at = free.reduce((place, mode, f) => place * dims[f] + indices[mode][e], 0)
      values[at] = seen[e]
      inferred[at] = 0
    }
  }
  return { free, dims, values, inferred }
}
