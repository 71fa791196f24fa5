/**
 * lacuna/tables in Node: the API of browsers, tables by path, and the list of the arrays of a file; Parquet,
 * databases and SQL need @duckdb/node-api.
 */
export { answerTable } from './io/node/answerTable.ts'
export { listVariables } from './io/node/science/openArrayFile.ts'
export { type ReadTableOptions, readTable } from './io/node/tables.ts'
export type { VariableInfo } from './io/science/arrayFile.ts'
export { type AskedRows, RowPredictor } from './model/index.ts'
export * from './tablesInBrowser.ts'
