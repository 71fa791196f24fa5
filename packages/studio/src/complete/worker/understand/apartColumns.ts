/** Columns without a role by which rows differ that else have the same coordinates. */
import { InputError, type SparseTensor } from 'lacuna'
import { type ColumnSummary, isRowNumber, isTime } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import { roleOf, type TableChoice } from '../../understanding/index.ts'
import { choiceKey } from './choiceKey.ts'
import { chooseDates } from './dateQuestion.ts'
import { FEW_LABELS, firstRows, hasFewLabels, summarizeSample } from './sampleTexts.ts'

/** A column that tells repeated rows apart as a mode with these binnings. */
export interface ApartColumn {
  column: string
  binnings: string[]
}

/** The rows that repeat, and how they are counted. */
interface Repeats {
  rows: number
  /** The number of all rows. */
  among: number
  /** Numbers of rows that still repeat, found before; it is added to. */
  counts: Map<string, number>
  /** Reads the table by another choice, and counts the rows of each cell. */
  count(choice: TableChoice): Promise<SparseTensor>
}

/** The most columns that are tried: each reads the table. */
const MOST_TRIED = 4
/** The most rows of a table of which columns are tried. */
const MOST_ROWS = 1e6
/** A column tells rows apart if at most this fraction of those that repeat still do. */
const STILL_REPEATED = 0.1

/** Finds the ignored columns that tell repeated rows apart. */
export async function findApart(table: Table, choice: TableChoice, repeats: Repeats): Promise<ApartColumn[]> {
  if (choice.melt !== undefined || repeats.rows === 0 || repeats.among > MOST_ROWS) return []
  const sample = await firstRows(table)
  const summaries = summarizeSample(table, sample)
  const tried = summaries
    .filter(
      (column, c) =>
        roleOf(choice, column.name) === 'ignored' &&
        !isRowNumber(column) &&
        (isTime(column) || hasFewLabels(sample, c)),
    )
    .slice(0, MOST_TRIED)
  const found: ApartColumn[] = []
  for (const column of tried) {
    const still = await countWith(table, choice, column, repeats)
    if (still <= STILL_REPEATED * repeats.rows)
      found.push({ column: column.name, binnings: [isTime(column) ? 'day' : 'none'] })
  }
  return found
}

/** The number of rows that still repeat with one more column as the last mode; infinite if it cannot be one. */
async function countWith(
  table: Table,
  choice: TableChoice,
  column: ColumnSummary,
  { counts, among, count }: Repeats,
): Promise<number> {
  const { name } = column
  const key = choiceKey(choice, { apart: name, merge: undefined })
  const known = counts.get(key)
  if (known !== undefined) return known
  let still = Number.POSITIVE_INFINITY
  try {
    const more = { ...choice, modes: [...choice.modes, isTime(column) ? `day(${name})` : name] }
    const dates = more.dates ? undefined : await chooseDates(table, more, counts)
    const tensor = await count(dates ? { ...more, dates: [dates.format] } : more)
    const isFew = isTime(column) || tensor.dims.at(-1)! <= FEW_LABELS * among
    if (isFew) still = tensor.values.reduce((sum, rows) => sum + rows, 0) - tensor.values.length
  } catch (error) {
    if (!(error instanceof InputError)) throw error
  }
  counts.set(key, still)
  return still
}
