/**
 * lacuna/internal in Node: what the command line and the studio of the same version need beside the public
 * API. It may change in any release and is not part of the API.
 */

export { oneLine, printable } from './base/characters.ts'
export { collectGarbage } from './base/garbage.ts'
export { availableMemory, formatBytes } from './base/memory.ts'
export { abortJob, launchedProcesses, launchedRank } from './comm/mpi/index.ts'
export { mpiEngine } from './engine/cpu/mpiEngine.ts'
export { optimizeAlways } from './engine/cpu/threads/compileOptimized.ts'
export { FileRun } from './fileRun.ts'
export * from './internalInBrowser.ts'
export { compareFiles } from './io/drive/processes/compareFiles.ts'
export { kindOfShards } from './io/drive/processes/kindOfShards.ts'
export { readParquetShard } from './io/drive/processes/readParquet.ts'
export { type ReadShardOptions, readTnsShard } from './io/drive/processes/readTns.ts'
export { readColumnByLabel, readColumnsByLabel } from './io/node/columnsByLabel.ts'
export { bytesAfterReading, estimateTensor } from './io/node/estimate.ts'
export { checkOutput, checkOutputs } from './io/node/files/checkOutput.ts'
export { explainFileError } from './io/node/files/fileError.ts'
export { openInput, readWhole } from './io/node/files/input.ts'
export { openFile } from './io/node/files/openFile.ts'
export { prepareReplacement, replaceFiles, writeFileWhole } from './io/node/files/writeFileWhole.ts'
export { contentStart, type ZipMember, zipMembers } from './io/node/files/zipFile.ts'
export { type FilledTable, fillTable } from './io/node/fillTable.ts'
export { type PngFile, writePngs } from './io/node/imageFile.ts'
export { readTensorOrModel } from './io/node/tensorFile.ts'
export { type AnswerOutput, checkAnswerOutput, writeAnswers } from './io/node/writeAnswers.ts'
export {
  type WriteTensorOptions,
  writeCompleted,
  writeFactorTable,
  writeTensors,
} from './io/node/writeTensorFile.ts'
export {
  checkEnding,
  endings,
  hasEnding,
  isTableFile,
  writableEndings,
} from './io/text/fileKind.ts'
export { countEntries, scatterTensor } from './tensor/scatter.ts'
export { splitShard } from './tensor/split/split.ts'
export { splitShardCells } from './tensor/split/splitCells.ts'
