/** Files by path. */
export type { IndexPolicy, MergePolicy, RecipeName, TableOptions } from '../table/index.ts'
export { endings, hasEnding, isTableFile, writableEndings } from '../text/index.ts'
export { type AnswerOutput, checkAnswerOutput, readNames, writeAnswers } from './answers.ts'
export { type AnswerTableOptions, answerTable } from './answerTable.ts'
export { parquetGroups, rowRange } from './duckdb/parquetRows.ts'
export { openSqlTable, type SqlTable } from './duckdb/sqlTable.ts'
export { checkOutput, checkOutputs } from './files/checkOutput.ts'
export { explainFileError } from './files/fileError.ts'
export { openInput, readWhole } from './files/input.ts'
export { countLines, firstLines, linesBetween } from './files/lines.ts'
export { type OpenFile, openFile } from './files/openFile.ts'
export { writeFileWhole } from './files/writeFileWhole.ts'
export { contentStart, readAt, type ZipMember, zipMembers } from './files/zipFile.ts'
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
