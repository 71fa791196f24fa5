/** lacuna/tables in a browser: text and JSON as rows, and rows as tensors. */
export {
  guessTable,
  jsonTable,
  type ReadRowsOptions,
  readRows,
  type Table,
  type TableGuess,
  type TableOptions,
  type TextFile,
  textTable,
  writeFactors,
  writeTable,
} from './io/table/index.ts'
