/** lacuna/tables in a browser: tables of text or JSON, tensors from their rows, and tables of tensors and factors. */
export {
  guessTable,
  jsonTable,
  type ReadRowsOptions,
  readRows,
  type Table,
  type TableGuess,
  type TableOptions,
  textTable,
  writeFactors,
  writeTable,
} from './io/table/index.ts'
