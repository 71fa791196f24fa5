/**
 * Text: kinds of files, lines, numbers, times, types and names, read from bytes and written; and the wasm
 * kernel that parses them.
 */
export { byteOrderMarkLength } from './byteOrderMark.ts'
export { COMMA, CR, DOT, HASH, LF, MINUS, NINE, PERCENT, PLUS, SPACE, TAB, ZERO } from './bytes.ts'
export { parseDecimal } from './decimal.ts'
export { endOfPlainLine, isEntryLine, startsEntry } from './entryLines.ts'
export { abbreviate, doubleQuote, escapeRegExp, oneLine, printable, textOfBytes } from './escape.ts'
export {
  checkEnding,
  endings,
  type FileKind,
  hasEnding,
  isTableFile,
  isTableKind,
  kindByContent,
  kindByName,
  packingByName,
  type TableKind,
  type TableText,
  tableEndings,
  tableTextByName,
  unpackedEnding,
  writableEndings,
} from './fileKind.ts'
export { compileTextKernel, MARGIN, startTextKernel, type TextKernel } from './kernel.ts'
export {
  type BinningName,
  binningNames,
  damagedField,
  ENSEMBLE_VERSION,
  findRepeated,
  isArrayOf,
  isNumber,
  isRecord,
  isString,
  isStrings,
  MODEL_FORMAT,
  MODEL_VERSION,
  type Names,
  namesFromJson,
  namesToJson,
  parseMetadata,
  readModes,
  readNames,
  TENSOR_FORMAT,
} from './names.ts'
export {
  calendarOf,
  compileTimeFormat,
  DAY,
  isoTime,
  likelyFormats,
  SECOND,
  type TimeReader,
  unixTime,
} from './time.ts'
export {
  type ColumnType,
  canonicalText,
  columnType,
  compareTexts,
  isFraction,
  isNumeric,
  isTemporal,
  isWhole,
  numberText,
  typeOfTexts,
} from './types.ts'
export { float32Text, LONGEST_FLOAT32, numberAsText, writeFloat32, writeWhole } from './writeNumber.ts'
