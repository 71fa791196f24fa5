/**
 * Files read by several processes, each of which reads a shard: together the entries are those of one
 * process.
 */
export { kindOfShards } from './kindOfShards.ts'
export { readParquetShard } from './readParquet.ts'
export { type ReadShardOptions, readTnsShard } from './readTns.ts'
