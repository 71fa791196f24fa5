/** Tensors and models as NumPy's .npy and .npz files, from and to bytes. */
import type { SparseTensor } from '../../tensor/index.ts'
import { decodeNpy } from '../npz/index.ts'
import { type ArrayOptions, denseTensor } from './denseTensor.ts'

export { type CompactKind, encodeCompactModel } from './compactModel.ts'
export { fromCompressed } from './cooTensor.ts'
export { COMPLETED_ADVICE, denseBytes, encodeCompletedNpy, encodeDenseNpy } from './denseNpy.ts'
export { type ArrayOptions, denseTensor } from './denseTensor.ts'
export { decodeAnyModel, encodeEnsemble, ensembleChunks } from './ensembleFile.ts'
export { decodeModel, decodePredictionModel, encodeModel, modelChunks } from './modelFile.ts'
export { decodeTensorNpz, encodeTensorNpz } from './tensorNpz.ts'

/** Decodes a dense .npy file; elements that are NaN or masked are missing. */
export function decodeTensorNpy(bytes: Uint8Array, name: string, options?: ArrayOptions): SparseTensor {
  return denseTensor(decodeNpy(bytes, name), name, options)
}
