/** The public API in Node: everything that runs in a browser too, and files. */
export * from './browser.ts'
export { launchedProcesses, type MpiEngineOptions, mpiEngine } from './engine/mpi/mpiEngine.ts'
export * from './io/node/index.ts'
export { FileRun, resumeRun, startRun } from './solver/fileRun.ts'
