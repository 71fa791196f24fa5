/** NumPy's file formats: .npy arrays, and .npz, which are zips of them. */
export {
  decodeNpy,
  decodeNpyText,
  encodeNpy,
  type NpyArray,
  type NpyData,
  npyHeader,
  readNpyHeader,
  toCOrder,
} from './npy.ts'
export { type ElementType, elementType } from './npyTypes.ts'
export {
  damagedZip,
  decodeNpz,
  displayName,
  encodeNpz,
  listNpz,
  type NpzEntries,
  npzChunks,
  type UnpackOptions,
  unpackNpz,
} from './npz.ts'
export { writeStoredZip } from './zip.ts'
