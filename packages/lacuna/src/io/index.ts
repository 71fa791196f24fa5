/** Files as bytes and text, in Node and browsers: arrays (.npy, .npz), tables, and .tns. */
export { type ColumnType, columnType, isNumeric } from '../labels/index.ts'
export {
  type ArrayOptions,
  decodeModel,
  decodeTensorNpy,
  decodeTensorNpz,
  denseTensor,
  encodeCompletedNpy,
  encodeDenseNpy,
  encodeModel,
  encodeTensorNpz,
} from './array/index.ts'
export {
  decodeNpy,
  decodeNpz,
  encodeNpy,
  encodeNpz,
  type NpyArray,
  type NpyData,
  type NpzEntries,
  type UnpackOptions,
} from './npz/index.ts'
export {
  type Batch,
  type Cells,
  type ColumnSummary,
  cellsOf,
  guessTable,
  type IndexPolicy,
  isTime,
  jsonTable,
  type MergePolicy,
  type ReadRowsOptions,
  type RecipeName,
  readRows,
  type Table,
  type TableColumn,
  type TableGuess,
  type TableOptions,
  type TextFile,
  textTable,
  timeBins,
  type Wanted,
  writeFactors,
  writeTable,
} from './table/index.ts'
export type { TableText } from './text/index.ts'
export {
  type Coordinates,
  type ReadCoordinatesOptions,
  type ReadTnsOptions,
  readCoordinates,
  readTns,
  type WriteTnsOptions,
  writeTns,
} from './tns/index.ts'
