/** Files by path. */
export type { IndexPolicy, MergePolicy, RecipeName, TableOptions } from '../table/index.ts'
export { endings, hasEnding, isTableFile, writableEndings } from '../text/index.ts'
export { type AnswerOutput, checkAnswerOutput, readNames, writeAnswers } from './answers.ts'
export { type AnswerTableOptions, answerTable } from './answerTable.ts'
export { parquetGroups, rowRange } from './duckdb/index.ts'
export { openSqlTable, type SqlTable } from './duckdb/index.ts'
export { checkOutput, checkOutputs } from './files/index.ts'
export { explainFileError } from './files/index.ts'
export { openInput, readWhole } from './files/index.ts'
export { countLines, firstLines, linesBetween } from './files/index.ts'
export { type OpenFile, openFile } from './files/index.ts'
export { writeFileWhole } from './files/index.ts'
export { contentStart, readAt, type ZipMember, zipMembers } from './files/index.ts'
export { type FilledTable, type FillTableOptions, fillTable } from './fillTable.ts'
export { type ImageFile, type PngFile, readImage, writePng, writePngs } from './imageFile.ts'
export { isComputed, nameOfFiles, type ReadTableOptions, readTable } from './tables.ts'
export {
  type ReadTensorOptions,
  readAnyModel,
  readModel,
  readTensor,
  readTensorOrModel,
  type WriteTensorOptions,
  writeCompleted,
  writeFactorTable,
  writeModel,
  writeTensor,
  writeTensors,
} from './tensorFile.ts'
