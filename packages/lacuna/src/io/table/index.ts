/** Tables: who delivers rows, what they mean, and how tensors and predictions are written as tables. */

export { type AnswerColumn, type AnswerRow, writeAnswerRows } from './answerRows.ts'
export { timeBins } from './columns/bins.ts'
export { NumberCoder, TextCoder } from './columns/coding.ts'
export { type ModeDictionary, valuesOf } from './columns/modeReader.ts'
export {
  findColumn,
  findLike,
  findMode,
  type IndexPolicy,
  indexPolicies,
  type ModeText,
  noColumn,
  parseMode,
} from './columns/modes.ts'
export { type ColumnSummary, isTime } from './guess.ts'
export {
  guessTable,
  planRows,
  type ReadRowsOptions,
  readRows,
  type TableGuess,
  type TableOptions,
} from './plan.ts'
export { type Labelled, openQueries, type QueryBatch, type QueryOptions } from './queries.ts'
export {
  finishMode,
  largest,
  type MergePolicy,
  mergePolicies,
  nameEntries,
  nothingLeft,
  type Pass,
  type PassByThreads,
  type Plan,
  passOver,
  readPlanned,
  repeatedIn,
  severalValues,
  sizesOf,
  tellLeftOut,
  tellUnknown,
} from './readRows.ts'
export { type RecipeName, recipeNames } from './recipes.ts'
export { type TextFile, textTable } from './source/csv.ts'
export { type Dialect, type DialectOptions, sniffDialect } from './source/dialect.ts'
export { jsonTable } from './source/json.ts'
export { meltTable } from './source/melt.ts'
export { type RecordsOptions, type Row, tensorFromRecords } from './source/records.ts'
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
} from './source/rows.ts'
export { isJson, type PredictedRows, writeRows } from './writeRows.ts'
export {
  checkLabels,
  columnNames,
  writeFactors,
  writeTable,
} from './writeTable.ts'
