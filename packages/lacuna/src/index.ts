/** lacuna in Node: the public API, which is that of browsers and files. */
export * from './browser.ts'
export { type FileRun, resumeRun, startRun } from './fileRun.ts'
export { type ReadTensorOptions, readModel, readTensor } from './io/node/tensorFile.ts'
export { writeModel, writeTensor } from './io/node/writeTensorFile.ts'
