/** Tables: who delivers rows, what they mean, and how tensors and predictions are written as tables. */

export { type AnswerColumn, type AnswerRow, writeAnswerRows } from './answerRows.ts'
export { timeBins } from './bins.ts'
export { type TextFile, textTable } from './csv.ts'
export { type Dialect, type DialectOptions, sniffDialect } from './dialect.ts'
export { type ColumnSummary, isTime } from './guess.ts'
export { jsonTable } from './json.ts'
export { meltTable } from './melt.ts'
export {
  findColumn,
  findLike,
  findMode,
  type IndexPolicy,
  indexPolicies,
  type ModeText,
  noColumn,
  parseMode,
} from './modes.ts'
export {
  guessTable,
  planRows,
  type ReadRowsOptions,
  readRows,
  type TableGuess,
  type TableOptions,
} from './plan.ts'
export { type Labelled, openQueries, type QueryBatch, type QueryOptions } from './queries.ts'
export { type MergePolicy, mergePolicies, type PassByThreads, readPlanned } from './readRows.ts'
export { type RecipeName, recipeNames } from './recipes.ts'
export { type RecordsOptions, type Row, tensorFromRecords } from './records.ts'
export {
  type Batch,
  type Cells,
  cellsOf,
  cellText,
  columnList,
  freeName,
  ownColumns,
  type Table,
  type TableColumn,
  type Texts,
  type Wanted,
} from './rows.ts'
export { isJson, type PredictedRows, writeRows } from './writeRows.ts'
export {
  checkLabels,
  columnNames,
  type TableText,
  tableText,
  writeFactors,
  writeTable,
} from './writeTable.ts'
