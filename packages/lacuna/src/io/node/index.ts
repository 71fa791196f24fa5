/** Tensors, models, tables and pictures read from and written to paths, in Node. */

export type { IndexPolicy, MergePolicy, RecipeName, TableOptions } from '../table/index.ts'
export { endings, hasEnding, isTableFile, writableEndings } from '../text/index.ts'
export { type AnswerTableOptions, answerTable } from './answerTable.ts'
export { readColumnByLabel } from './columnsByLabel.ts'
export { openSqlTable, parquetGroups, rowRange, type SqlTable } from './duckdb/index.ts'
export {
  checkOutput,
  checkOutputs,
  contentStart,
  countLines,
  explainFileError,
  linesBetween,
  type OpenFile,
  openFile,
  openInput,
  readAt,
  readTnsHead,
  readWhole,
  writeFileWhole,
  type ZipMember,
  zipMembers,
} from './files/index.ts'
export { type FilledTable, type FillTableOptions, fillTable } from './fillTable.ts'
export { type ImageFile, type PngFile, readImage, writePng, writePngs } from './imageFile.ts'
export { isComputed, nameOfFiles, type ReadTableOptions, readTable } from './tables.ts'
export { type ReadTensorOptions, readModel, readTensor, readTensorOrModel } from './tensorFile.ts'
export { type AnswerOutput, checkAnswerOutput, writeAnswers } from './writeAnswers.ts'
export {
  type WriteTensorOptions,
  writeCompleted,
  writeFactorTable,
  writeModel,
  writeTensor,
  writeTensors,
} from './writeTensorFile.ts'
