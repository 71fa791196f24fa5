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
export { decodeModel, encodeModel } from './modelFile.ts'
export { decodeNpy, encodeNpy, type NpyArray, type NpyData } from './npy.ts'
export { decodeNpz, encodeNpz, type NpzEntries } from './npz.ts'
export {
  type Coordinates,
  type ReadCoordinatesOptions,
  type ReadTnsOptions,
  readCoordinates,
  readTns,
  writeTns,
} from './tns.ts'
