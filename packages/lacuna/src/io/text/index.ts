/**
 * Text: kinds of files, lines, numbers, times, types and names, read from bytes and written; and the wasm
 * kernel that parses them.
 */

export {
  COMMA,
  CR,
  DOT,
  escapeRegExp,
  HASH,
  LF,
  MINUS,
  NINE,
  oneLine,
  PERCENT,
  PLUS,
  printable,
  SPACE,
  TAB,
  ZERO,
} from '../../base/characters.ts'
export { byteOrderMarkLength } from './byteOrderMark.ts'
export { parseDecimal } from './decimal.ts'
export { endOfPlainLine, isEntryLine, startsEntry } from './entryLines.ts'
export { abbreviate, doubleQuote, notUtf8, textOfBytes } from './escape.ts'
export {
  adviseFormat,
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
export { float32Text, LONGEST_FLOAT32, numberAsText, writeFloat32, writeWhole } from './writeNumber.ts'
