/** Files by path. */
export type { IndexPolicy, MergePolicy, RecipeName, TableOptions } from '../table/index.ts'
export { type AnswerOutput, checkAnswerOutput, readNames, writeAnswers } from './answers.ts'
export { type AnswerTableOptions, answerTable } from './answerTable.ts'
export { checkOutput, checkOutputs } from './files/checkOutput.ts'
export { explainFileError } from './files/fileError.ts'
export { isTableFile, writableEndings } from './files/kind.ts'
export { type OpenFile, openFile } from './files/openFile.ts'
export { writeFileWhole } from './files/writeFileWhole.ts'
export { type FilledTable, type FillTableOptions, fillTable } from './fillTable.ts'
export { type ImageFile, type PngFile, readImage, writePng, writePngs } from './imageFile.ts'
export { type ReadTableOptions, readTable } from './tables.ts'
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
