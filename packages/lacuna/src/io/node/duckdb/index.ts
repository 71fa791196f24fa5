/** Tables that DuckDB reads or writes. DuckDB itself is loaded when the first session is opened. */
export { parquetGroups, parquetRowCount, rowRange } from './parquetRows.ts'
export type { SqlSource } from './sqlSource.ts'
export { openSqlTable, type SqlTable } from './sqlTable.ts'
export { tensorAsParquet, writeParquetRows } from './writeParquet.ts'
export { unpackZstd } from './zstd.ts'
