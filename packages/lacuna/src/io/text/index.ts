/**
 * Text: what files, lines, numbers, times and names are, as bytes and as text; and the kernel that parses
 * them.
 */
export { byteOrderMarkLength } from './byteOrderMark.ts'
export { COMMA, CR, DOT, HASH, LF, MINUS, NINE, PERCENT, PLUS, SPACE, TAB, ZERO } from './bytes.ts'
export { parseDecimal } from './decimal.ts'
export { endOfPlainLine, isEntryLine, startsEntry } from './entryLines.ts'
export { abbreviate, doubleQuote, escapeRegExp, textOfBytes } from './escape.ts'
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
  tableText,
  unpackedEnding,
  writableEndings,
} from './fileKind.ts'
export { compileTextKernel, MARGIN, startTextKernel, type TextKernel } from './kernel.ts'
export {
  type BinningName,
  binningNames,
  damaged,
  isArrayOf,
  isNumber,
  isRecord,
  isString,
  isStrings,
  MODEL_FORMAT,
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
  DAY,
  isoTime,
  likelyFormats,
  SECOND,
  type TimeReader,
  timeFormat,
  unixTime,
} from './time.ts'
export {
  type ColumnType,
  canonical,
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
