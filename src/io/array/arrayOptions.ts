import type { TensorOptions } from '../../tensor/sparseTensor.ts'
import type { NpyArray } from '../npy.ts'

export interface ArrayOptions extends Omit<TensorOptions, 'where' | 'distinct'> {
  /** I_1 … I_N, at least as large as the array; its shape by default. */
  dims?: readonly number[]
  /** Of the array's shape: nonzero (true) where an element is observed. NaN is missing in any case. */
  mask?: NpyArray
}
