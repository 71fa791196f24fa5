/** The public API in Node: everything that runs in a browser too, and files. */
export * from './browser.ts'
export { type FileRun, resumeRun, startRun } from './fileRun.ts'
export {
  type ReadTensorOptions,
  readModel,
  readTensor,
  writeModel,
  writeTensor,
} from './io/node/tensorFile.ts'
