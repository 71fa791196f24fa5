export { checkOutput } from './checkOutput.ts'
export { type OpenFile, openFile } from './openFile.ts'
export {
  type ReadTensorOptions,
  readModel,
  readTensor,
  writeCompleted,
  writeFactorTable,
  writeModel,
  writeTensor,
} from './tensorFile.ts'
export { writeFileWhole } from './writeFileWhole.ts'
