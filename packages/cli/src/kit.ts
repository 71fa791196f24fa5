/** Exports of the command line for bench: parsers of arguments, progress, tables, documents of plots and errors. */
export {
  decimalNumbers,
  numberOrAuto,
  positiveWholeNumber,
  rankNumber,
  sizes,
  threadCounts,
  wholeNumber,
  wholeNumbers,
} from './options/arguments.ts'
export { abbreviateNumber, formatCount, formatNumber, formatSeconds, formatTable } from './print/format.ts'
export { print, printJson } from './print/print.ts'
export { startProgress } from './print/terminal.ts'
export { explainFailure } from './process/failure.ts'
export { createDocument } from './report/document.ts'
