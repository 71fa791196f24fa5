/** lacuna/formats: .tns, .npy and .npz as bytes, for who has them from elsewhere than a path. */
export {
  type ArrayOptions,
  decodeTensorNpy,
  decodeTensorNpz,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeTensorNpz,
} from './io/array/index.ts'
export { decodeNpy, decodeNpz, encodeNpy, encodeNpz, type NpyArray } from './io/npz/index.ts'
export { type ReadTnsOptions, readTns, type WriteTnsOptions, writeTns } from './io/tns/index.ts'
