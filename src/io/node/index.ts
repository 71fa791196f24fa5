export { checkOutput } from './checkOutput.ts'
export { writableEndings } from './endings.ts'
export { type ImageFile, readImage, writePng } from './imageFile.ts'
export { type OpenFile, openFile } from './openFile.ts'
export {
  type IndexPolicy,
  isTableFile,
  type MergePolicy,
  type ReadTableOptions,
  type RecipeName,
  readTable,
  type TableOptions,
} from './table/index.ts'
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
export { writeFileWhole } from './writeFileWhole.ts'
