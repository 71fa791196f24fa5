/**
 * Labels in the forms in which users write them. A label has one canonical text, by the type of its mode; a
 * user may write 4.50 for 4.5, 2024-04-01 for 2024-04-01 00:00:00, or the time of which a binned mode has the
 * week. Everything that looks up labels does it here: tables, --at, fold-in, records.
 */
import type { Mode } from '../tensor/index.ts'
import { type BinningName, binnings, binText } from './bins.ts'
import { compileTimeFormat, type TimeReader, unixTime } from './time.ts'
import { hasZone, zoneOffsetOf } from './timeZone.ts'
import { type ColumnType, canonicalText, timeOfText } from './types.ts'

/** The part of a mode by which texts are converted to its labels. */
export type LabelSource = Pick<Mode, 'type' | 'from'>

/** Numbers from here on are Unix times where a label may be either: from 1973 on. */
const LEAST_UNIX_TIME = 1e8

/**
 * The text by which labels of a type are compared: equal for all forms of the same label. Of times with a zone
 * it is the instant, so that 01:00+01:00 and 00:00Z are the same.
 */
export function labelKey(text: string, type: ColumnType): string {
  return canonicalText(text, type === 'TIMESTAMPTZ' ? 'TIMESTAMP' : type) ?? text
}

/**
 * Returns a function that finds labels of a type by texts in any form; undefined if there is none.
 * @param labels of a mode, by row
 */
export function labelFinder(
  labels: readonly string[],
  type: ColumnType,
): (text: string) => number | undefined {
  const rows = new Map(
    labels.map((label, row) => [type === 'TIMESTAMPTZ' ? labelKey(label, type) : label, row]),
  )
  return (text) => rows.get(labelKey(text, type))
}

/** The label that a text is to have in a mode: the canonical one, or as it is if it has none. */
export function toLabel(text: string, { type, from }: LabelSource): string {
  if (from?.binning !== undefined) return binOfTime(text, from) ?? text
  if (type === 'TIMESTAMPTZ') {
    const instant = hasZone(text) ? undefined : canonicalText(text, 'TIMESTAMP')
    return instant === undefined ? text : `${instant}+00:00`
  }
  return canonicalText(text, (type ?? 'VARCHAR') as ColumnType) ?? text
}

/**
 * The label of a binned mode for a text that is a time: the week of 2024-04-03, say; undefined if the mode
 * does not bin times or the text is none. Small numbers are not taken as Unix times, for they may be labels.
 */
function binOfTime(text: string, from: NonNullable<Mode['from']>): string | undefined {
  if (binnings[from.binning as BinningName].of !== 'time') return undefined
  const number = text.trim() === '' ? NaN : Number(text)
  return Math.abs(number) < LEAST_UNIX_TIME ? undefined : labelOfCell(text, from)
}

/**
 * The label of a binned mode for a cell of the column that it is made of; undefined if the cell is no time or
 * number, as the binning needs it.
 */
export function labelOfCell(text: string, from: NonNullable<Mode['from']>): string | undefined {
  const binning = binnings[from.binning as BinningName]
  const argument = from.argument ?? 0
  if (binning.of === 'number') {
    const number = text.trim() === '' ? NaN : Number(text)
    if (!Number.isFinite(number)) return undefined
    const isWhole = Number.isInteger(number) && Number.isInteger(argument) && from.binning === 'bins'
    return binText(binning, binning.bin(number, argument), isWhole)
  }
  const time = timeReader(from)(text)
  return Number.isNaN(time) ? undefined : binText(binning, binning.bin(time, argument), false)
}

/**
 * Returns a reader of the times of a column: by its formats, or as ISO 8601 or Unix time. In microseconds
 * since 1970 by the clocks of the time zone, if there is one; times without a zone are those clocks' own.
 */
export function timeReader({
  dates,
  timezone,
}: Pick<NonNullable<Mode['from']>, 'dates' | 'timezone'>): TimeReader {
  const readers = (dates ?? ['iso']).map((format) => ({
    read: format === 'iso' ? timeWithoutFormat : compileTimeFormat(format),
    isInstant: format === 'iso' ? isInstant : () => format.includes('%z'),
  }))
  const offsetOf = timezone === undefined ? undefined : zoneOffsetOf(timezone)
  return (text) => {
    for (const { read, isInstant } of readers) {
      const time = read(text)
      if (!Number.isNaN(time)) return offsetOf && isInstant(text) ? time + offsetOf(time) : time
    }
    return NaN
  }
}

/** The time of a text by ISO 8601, or of a number as a Unix time; NaN if it is neither. */
function timeWithoutFormat(text: string): number {
  const time = timeOfText(text)
  if (!Number.isNaN(time)) return time
  return text.trim() === '' ? NaN : unixTime(Number(text))
}

/** Whether a text is an instant, not a time by some clock: a number, or a time with a zone. */
const isInstant = (text: string): boolean => hasZone(text) || !Number.isNaN(Number(text))
