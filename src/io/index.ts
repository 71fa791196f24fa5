export {
  type ArrayOptions,
  decodeTensorNpy,
  decodeTensorNpz,
  denseTensor,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeTensorNpz,
} from './array/index.ts'
export { decodeModel, encodeModel } from './array/modelFile.ts'
export {
  type ColumnType,
  type CsvColumn,
  type CsvDialect,
  type CsvMerge,
  type ReadCsvOptions,
  readCsv,
  sniffCsv,
  type TimeBin,
  timeBins,
} from './csv/index.ts'
export { decodeNpy, encodeNpy, type NpyArray, type NpyData } from './npz/npy.ts'
export { decodeNpz, encodeNpz, type NpzEntries, type UnpackOptions } from './npz/npz.ts'
export { type TableText, writeFactors, writeTable } from './table/index.ts'
export {
  type Coordinates,
  type ReadCoordinatesOptions,
  type ReadTnsOptions,
  readCoordinates,
  readTns,
  type WriteTnsOptions,
  writeTns,
} from './tns/index.ts'
