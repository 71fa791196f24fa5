/** Tensors as NumPy's arrays. */
import type { SparseTensor } from '../../tensor/sparseTensor.ts'
import { decodeNpy } from '../npz/npy.ts'
import { type ArrayOptions, denseTensor } from './denseTensor.ts'

export { denseBytes, encodeCompletedNpy, encodeDenseNpy, MAX_DENSE_BYTES } from './denseNpy.ts'
export type { ArrayOptions } from './denseTensor.ts'
export { denseTensor } from './denseTensor.ts'
export { decodeAnyModel, encodeEnsemble } from './ensembleFile.ts'
export { decodeModel, encodeModel } from './modelFile.ts'
export { decodeTensorNpz, encodeTensorNpz } from './tensorNpz.ts'

/** A dense .npy file; NaN, and what the mask says, is missing. */
export function decodeTensorNpy(bytes: Uint8Array, name: string, options?: ArrayOptions): SparseTensor {
  return denseTensor(decodeNpy(bytes, name), name, options)
}
