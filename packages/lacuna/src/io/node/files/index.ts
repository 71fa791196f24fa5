/** Opens, unpacks and reads files and pipes, and writes files whole or not at all. */
export { checkOutput, checkOutputs } from './checkOutput.ts'
export { explainFileError } from './fileError.ts'
export {
  type Input,
  type InputOptions,
  maxFileBytes,
  openInput,
  readWhole,
  withPath,
  yieldOnce,
} from './input.ts'
export { countLines, linesBetween, readTnsHead } from './lines.ts'
export { isPacked, type OpenFile, openFile, unpackingLimit } from './openFile.ts'
export { nameBeside, removeAtExit, removeLeftovers } from './temporary.ts'
export { prepareReplacement, type Replacement, replaceFiles, writeFileWhole } from './writeFileWhole.ts'
export { contentStart, readAt, type ZipMember, zipMembers } from './zipFile.ts'
