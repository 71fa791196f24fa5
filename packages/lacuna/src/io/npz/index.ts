/** NumPy's containers: arrays, and zips of them. */
export { decodeNpy, decodeNpyText, encodeNpy, type NpyArray, type NpyData, npyHeader } from './npy.ts'
export { decodeNpz, encodeNpz, listNpz, type NpzEntries, type UnpackOptions, unpackNpz } from './npz.ts'
export { storedZip } from './zip.ts'
