/** Entries that lie in several processes: read, divided and judged with the same result as in one. */
export { dealOut } from './deal.ts'
export { countEntries, errorOfShares, meanErrorOfShares } from './errors.ts'
export { kindOfShares } from './kindOfShares.ts'
export { readNpzShare } from './readNpz.ts'
export { readParquetShare } from './readParquet.ts'
export { type ReadShareOptions, readTnsShare } from './readTns.ts'
export { splitShares } from './split.ts'
export { splitCellShares } from './splitCells.ts'
