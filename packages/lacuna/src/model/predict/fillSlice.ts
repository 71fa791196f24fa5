/** A dense slice of a tensor: observed values where there are any, and predictions elsewhere. */
import type { SparseTensor } from '../../tensor/index.ts'
import type { TensorModel } from '../tensorModel.ts'

/** A dense slice of a tensor, and which of its values were predicted. */
export interface FilledSlice {
  /** The modes that are not fixed, from 0. */
  free: number[]
  /** Sizes of the modes that are not fixed. */
  dims: number[]
  /** Values, row-major. */
  values: Float32Array
  /** 1 where a value was predicted, 0 where it was observed. */
  inferred: Uint8Array
}

/**
 * Fills a slice of a tensor: observed values where there are any, and predictions elsewhere. Throws if the
 * slice is too large (`TensorModel.slice`).
 * @param fixed per mode, the row that is fixed, or null for all of its rows
 * @param observed entries whose values are used; none by default
 */
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
    const { indices, values: observedValues } = observed
    for (let e = 0; e < observedValues.length; e++) {
      if (!fixed.every((row, mode) => row === null || indices[mode][e] === row)) continue
      const at = free.reduce((position, mode, f) => position * dims[f] + indices[mode][e], 0)
      values[at] = observedValues[e]
      inferred[at] = 0
    }
  }
  return { free, dims, values, inferred }
}
