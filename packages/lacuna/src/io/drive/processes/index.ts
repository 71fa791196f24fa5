/** Parquet and .tns files read by several processes, each of which reads a range of them: the result is that of one process. */
export { readParquetShard } from './readParquet.ts'
export { type ReadShardOptions, readTnsShard } from './readTns.ts'
export { shardFormatOf } from './shardFormat.ts'
