/** lacuna in Node: the public API, which is that of browsers and files. */
export * from './browser.ts'
export { type FileRun, resumeRun, startRun } from './fileRun.ts'
export { listVariables } from './io/node/science/openArrayFile.ts'
export {
  type ReadTensorOptions,
  readModel,
  readTensor,
  writeModel,
  writeTensor,
} from './io/node/tensorFile.ts'
export type { VariableInfo } from './io/science/arrayFile.ts'
