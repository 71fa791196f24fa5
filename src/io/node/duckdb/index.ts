/** Tables by DuckDB: CSV, Parquet, JSON, databases, and SQL over them. */
export {
  type IndexPolicy,
  indexPolicies,
  type MergePolicy,
  mergePolicies,
  type ReadTableOptions,
  type RecipeName,
  recipeNames,
  type TableOptions,
} from './options.ts'
export { readTable } from './readTable.ts'
export { isTableFile, tableEndings } from './source.ts'
