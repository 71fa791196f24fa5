/** Files of the disk and pipes: opened, unpacked, read by lines, and written whole or not at all. */
export { checkOutput, checkOutputs } from './checkOutput.ts'
export { explainFileError } from './fileError.ts'
export { asFile, type Input, maxFileBytes, openInput, readWhole } from './input.ts'
export { countLines, firstLines, linesBetween } from './lines.ts'
export { isPacked, type OpenFile, openFile } from './openFile.ts'
export { isRunning, nameBeside, removeAtExit } from './temporary.ts'
export { type Replacement, replaceFiles, writeChunks, writeFileWhole } from './writeFileWhole.ts'
export { contentStart, readAt, type ZipMember, zipMembers } from './zipFile.ts'
