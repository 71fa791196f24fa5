/** Tensors as NumPy's arrays. */
import type { SparseTensor } from '../../tensor/index.ts'
import { decodeNpy } from '../npz/index.ts'
import { type ArrayOptions, denseTensor } from './denseTensor.ts'

export { denseBytes, encodeCompletedNpy, encodeDenseNpy, MAX_DENSE_BYTES } from './denseNpy.ts'
export { type ArrayOptions, denseTensor } from './denseTensor.ts'
export { decodeAnyModel, encodeEnsemble } from './ensembleFile.ts'
export { decodeModel, encodeModel } from './modelFile.ts'
export { decodeTensorNpz, encodeTensorNpz, readMetadata } from './tensorNpz.ts'

/** Decodes a dense .npy file; elements that are NaN or masked are missing. */
export function decodeTensorNpy(bytes: Uint8Array, name: string, options?: ArrayOptions): SparseTensor {
  return denseTensor(decodeNpy(bytes, name), name, options)
}
export { asValues, checkFill, toIndices, toSizes } from './cooTensor.ts'
