/** Tables and .tns files read by several processes, each of which takes some of the rows: the result is that of one process. */
export { kindOfShares } from './kindOfShards.ts'
export { readNpzShare } from './readNpz.ts'
export { readParquetShare } from './readParquet.ts'
export { type ReadShareOptions, readTnsShare } from './readTns.ts'
