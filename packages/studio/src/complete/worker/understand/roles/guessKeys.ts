/** Guesses the modes that make the rows of a table differ, beside those that its columns are by their names and types. */
import { type Batch, binnings, type ColumnSummary, TimeColumn } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import { cellTexts, hasFewLabels } from '../sampleTexts.ts'

/** A time is a mode if at most this fraction of the rows that else repeat still do. */
const STILL_REPEATED = 0.5
/** A coarser binning is taken where it leaves at most this fraction of all rows more repeated than the times themselves. */
const NEARLY_AS_FINE = 0.01
/** Columns that are no modes by their names and types are taken if at most this fraction of the rows that else repeat still do. */
const FEW_REPEATED = 0.1
/** The most columns that are tried as further modes. */
const MOST_CANDIDATES = 6
/** The most columns of which it is found whether they have few labels. */
const MOST_LOOKED_AT = 100
/** Microseconds per day. */
const DAY = 86_400e6

/** The rows by which modes are judged. */
export interface Context {
  table: Table
  sample: Batch
  columns: readonly ColumnSummary[]
  dates: readonly string[] | undefined
}

/** The binnings of the time of events: days, or months of many years, and hours if there are clock times. */
export function timesOfEvents(context: Context, { name }: ColumnSummary): string[] {
  const times = timesOf(context, name).filter((time) => !Number.isNaN(time))
  if (times.length === 0) return []
  const [first, last] = times.reduce(
    ([low, high], time) => [Math.min(low, time), Math.max(high, time)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
  const hasClock = times.some((time) => time % DAY !== 0)
  const isLong = last - first > 3 * 365 * DAY
  return [`${isLong ? 'month' : 'day'}(${name})`, ...(hasClock ? [`hour(${name})`] : [])]
}

/** Modes beside others, and the number of rows of the sample that then have the coordinates of an earlier one. */
interface Keys {
  modes: string[]
  repeats: number
}

/**
 * The modes to add in a table of values, so that rows differ: the time, and of the columns that are no modes by their
 * names and types, such as doses of 2.5 and 5, the fewest that make rows differ.
 * @param fixed the other modes
 * @param candidates columns that are no modes yet; those with few labels are tried
 */
export function keysOfValues(
  context: Context,
  fixed: readonly string[],
  time: ColumnSummary | undefined,
  candidates: readonly ColumnSummary[],
): string[] {
  const { sample, columns } = context
  const keysWith = (names: readonly string[]): Keys => {
    const all = [...fixed, ...names]
    const found = time ? timesOfValues(context, all, time) : { modes: [], repeats: repeatsOf(context, all) }
    return { modes: [...names, ...found.modes], repeats: found.repeats }
  }
  const plain = keysWith([])
  if (plain.repeats === 0) return plain.modes
  const names = candidates
    .slice(0, MOST_LOOKED_AT)
    .filter((column) => hasFewLabels(sample, columns.indexOf(column)))
    .slice(0, MOST_CANDIDATES)
    .map(({ name }) => name)
  const tried = [...names.map((name) => [name]), ...(names.length > 1 ? [names] : [])].map(keysWith)
  const best = tried.reduce((least, one) => (one.repeats < least.repeats ? one : least), plain)
  return best.repeats <= FEW_REPEATED * plain.repeats ? best.modes : plain.modes
}

/** The number of rows of the sample that have the labels of an earlier one. @param more further labels of the rows */
export function repeatsOf(
  { sample, columns }: Context,
  modes: readonly string[],
  more?: readonly unknown[],
): number {
  const keys = modes.flatMap((mode) => {
    const column = columns.findIndex((one) => one.name === mode)
    return column < 0 ? [] : [cellTexts(sample, column)]
  })
  const seen = new Set<string>()
  for (let row = 0; row < sample.rowCount; row++)
    seen.add(JSON.stringify([...keys.map((texts) => texts[row]), more?.[row]]))
  return sample.rowCount - seen.size
}

/**
 * The modes to make of a time in a table of values: the coarsest binning with which no two rows have equal labels; none
 * if the other modes alone do that. Where some rows are repeated by mistake, the coarsest binning that leaves about as few
 * as the times themselves.
 */
function timesOfValues(context: Context, fixed: readonly string[], { name }: ColumnSummary): Keys {
  const { sample, columns } = context
  const withoutTime = repeatsOf(context, fixed)
  if (fixed.length >= 2 && withoutTime === 0) return { modes: [], repeats: 0 }
  const times = timesOf(context, name)
  const texts = cellTexts(
    sample,
    columns.findIndex((one) => one.name === name),
  )
  const options = [
    ...(['week', 'day'] as const).map((bin) => ({
      mode: `${bin}(${name})`,
      labels: Array.from(times, (time) => binnings[bin].bin(time, 0)),
    })),
    { mode: name, labels: texts },
  ].map(({ mode, labels }): Keys => ({ modes: [mode], repeats: repeatsOf(context, fixed, labels) }))
  const fewest = options.at(-1)!.repeats
  // The time hardly makes rows differ: it is needed only where there is no other second mode.
  if (fewest > 0 && fewest > STILL_REPEATED * withoutTime)
    return fixed.length >= 2 ? { modes: [], repeats: withoutTime } : options[1]
  const enough = fewest === 0 ? 0 : fewest + NEARLY_AS_FINE * sample.rowCount
  return options.find(({ repeats }) => repeats <= enough)!
}

/** The times of a column in the sample, in microseconds since 1970. */
function timesOf({ table, sample, columns, dates }: Context, name: string): Float64Array {
  const column = columns.findIndex((one) => one.name === name)
  return new TimeColumn(name, table.columns[column].type, dates).times(
    sample.columns[column],
    sample.rowCount,
  )
}
