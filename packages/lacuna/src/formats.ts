/**
 * lacuna/formats: .tns, .npy and .npz as bytes, and compact model files, for data that is not read from a path. In Node and in
 * browsers.
 */
export {
  decodeTensorNpy,
  decodeTensorNpz,
  encodeCompactModel,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeTensorNpz,
} from './io/array/index.ts'
export { decodeNpy, decodeNpz, encodeNpy, encodeNpz, type NpyArray } from './io/npz/index.ts'
export { readTns, writeTns } from './io/tns/index.ts'
