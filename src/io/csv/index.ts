export { type TimeBin, timeBins } from './binning.ts'
export type { ColumnType } from './columnType.ts'
export type { CsvDialect } from './dialect.ts'
export { type CsvColumn, type CsvMerge, type ReadCsvOptions, readCsv, sniffCsv } from './readCsv.ts'
