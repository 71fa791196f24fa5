/**
 * Reads files by several processes, each of which reads a shard: together their entries are those that one
 * process would read.
 */
export { compareFiles } from './compareFiles.ts'
export { kindOfShards } from './kindOfShards.ts'
export { readParquetShard } from './readParquet.ts'
export { type ReadShardOptions, readTnsShard } from './readTns.ts'
