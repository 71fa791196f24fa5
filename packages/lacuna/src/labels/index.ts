/** Labels of modes: their types, times as text and numbers, binnings, and the rows that texts mean. */
export {
  type Binning,
  type BinningName,
  binningNames,
  binnings,
  binText,
  checkArgument,
  type Grid,
  gridCellOf,
  timeBins,
} from './bins.ts'
export { type LabelSource, labelFinder, labelKey, labelOfCell, timeReader, toLabel } from './labelText.ts'
export {
  calendarOf,
  compileTimeFormat,
  DAY,
  daysOf,
  isoTime,
  likelyFormats,
  SECOND,
  type TimeReader,
  unixTime,
} from './time.ts'
export { hasZone, type ZoneOffset, zoneOffsetOf } from './timeZone.ts'
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
  timeOfText,
  typeOfTexts,
} from './types.ts'
export { type DateWriter, dateWriter } from './writeDate.ts'
