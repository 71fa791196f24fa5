/** Reads files by several threads of this process. */
export { areDistinctBy } from './distinct.ts'
export { PARALLEL_FROM, type ReadingPool, readingThreads, startReading } from './pool.ts'
export {
  type ParsedLines,
  parseRangeByThreads,
  type ReadByThreadsOptions,
  readTnsByThreads,
} from './readTns.ts'
export { type TextThreads, textThreads } from './textThreads.ts'
