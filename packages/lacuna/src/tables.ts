/** lacuna/tables in Node: the API of browsers, and tables by path; Parquet, databases and SQL need @duckdb/node-api. */
export { answerTable } from './io/node/answerTable.ts'
export { type ReadTableOptions, readTable } from './io/node/tables.ts'
export { type AskedRows, RowPredictor } from './model/index.ts'
export * from './tablesInBrowser.ts'
