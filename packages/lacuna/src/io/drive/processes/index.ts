/** Entries that lie in several processes: read, divided and judged with the same result as in one. */
export { dealOut } from '../../../tensor/shards/scatter.ts'
export { countEntries, errorOfShares, meanErrorOfShares } from '../../../tensor/shards/shardErrors.ts'
export { splitCellShares } from '../../../tensor/shards/splitShardCells.ts'
export { splitShares } from '../../../tensor/shards/splitShards.ts'
export { kindOfShares } from './kindOfShards.ts'
export { readNpzShare } from './readNpz.ts'
export { readParquetShare } from './readParquet.ts'
export { type ReadShareOptions, readTnsShare } from './readTns.ts'
