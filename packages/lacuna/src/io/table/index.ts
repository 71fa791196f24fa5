/**
 * Tables: sources of rows, read as tensors or as queries to a model; and tensors and answers written as
 * tables.
 */

export { timeBins } from '../../labels/index.ts'
export { Entries, type FinishedEntries, type LineRun, lineOfEntry } from './columns/entries.ts'
export { mergeDictionaries } from './columns/mergeDictionaries.ts'
export { type ModeDictionary, modeReader } from './columns/modeReader.ts'
export {
  findColumn,
  findMode,
  findStoredMode,
  type IndexPolicy,
  indexPolicies,
  type ModeText,
  noColumn,
  parseMode,
} from './columns/modes.ts'
export { TimeColumn } from './columns/timeColumn.ts'
export { type EncodedEntries, type EncodedRows, encodeRows } from './encodeRows.ts'
export { type ColumnSummary, isTime } from './guess.ts'
export { meltTable } from './melt.ts'
export {
  guessTable,
  planRows,
  type ReadRowsOptions,
  readRows,
  type TableGuess,
  type TableOptions,
} from './plan.ts'
export {
  cellNumbers,
  type Labelled,
  labelWriters,
  openQueries,
  type QueryBatch,
  type QueryOptions,
} from './queries.ts'
export { type MergePolicy, mergePolicies, type ReadPlan } from './readPlan.ts'
export { composeCodes, type RowsDriver, readPlanned } from './readPlanned.ts'
export { type RecipeName, recipeNames } from './recipes.ts'
export { type RecordsOptions, type Row, tensorFromRecords } from './records.ts'
export { isMissingMark, type Marks } from './source/cells.ts'
export { type TextFile, textTable } from './source/csv.ts'
export { CsvParser } from './source/csvParser.ts'
export { type Dialect, type DialectOptions, sniffDialect } from './source/dialect.ts'
export { jsonTable } from './source/json.ts'
export { type NumberForm, numberFormOf, writeExactly, writeInForm } from './source/numberForm.ts'
export { findDecimalSign, plainNumber, type Thousands } from './source/numberStyle.ts'
export type { RowKernel } from './source/rowKernel.ts'
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
export { isFilledRow, type SheetRow, sheetText } from './source/sheetText.ts'
export type { TextForm } from './source/textForm.ts'
export {
  batchOfRows,
  isJson,
  type OutputBatch,
  type OutputColumn,
  type OutputRow,
  textOfCell,
  writeRows,
} from './writeRows.ts'
export {
  checkLabels,
  columnNames,
  writeFactors,
  writeTable,
} from './writeTable.ts'
