export {
  type IndexPolicy,
  isTableFile,
  type MergePolicy,
  type ReadTableOptions,
  type RecipeName,
  readTable,
  type TableOptions,
} from './duckdb/index.ts'
export { checkOutput } from './files/checkOutput.ts'
export { writableEndings } from './files/endings.ts'
export { explainFileError } from './files/fileError.ts'
export { type OpenFile, openFile } from './files/openFile.ts'
export { writeFileWhole } from './files/writeFileWhole.ts'
export { type ImageFile, readImage, writePng } from './imageFile.ts'
export {
  type ReadTensorOptions,
  readModel,
  readTensor,
  readTensorOrModel,
  type WriteTensorOptions,
  writeCompleted,
  writeFactorTable,
  writeModel,
  writeTensor,
} from './tensorFile.ts'
