export { decodeModel, encodeModel } from './modelFile.ts'
export { decodeNpy, encodeNpy, type NpyArray, type NpyData } from './npy.ts'
export { decodeNpz, encodeNpz, type NpzEntries, type UnpackOptions } from './npz.ts'
export {
  type Coordinates,
  type ReadCoordinatesOptions,
  type ReadTnsOptions,
  readCoordinates,
  readTns,
  writeTns,
} from './tns.ts'
