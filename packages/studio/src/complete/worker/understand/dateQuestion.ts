/**
 * Dates that are not written as ISO 8601 has it: the question how they are read, and the format that is chosen where
 * the first rows leave it open, by all rows if one format alone reads them, else the first, provisionally.
 */
import {
  type Batch,
  type ColumnSummary,
  cellText,
  compileTimeFormat,
  isMissingMark,
  isTime,
  TimeColumn,
} from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import { type Answer, binningsOf, type Question, type TableChoice } from '../../understanding/index.ts'
import { filledTexts, firstRows, summarizeSample } from './sampleTexts.ts'

/** A column of dates that are not ISO 8601, and the formats that fit. */
export interface ForeignDates {
  column: string
  example: string
  formats: string[]
}

/** The first column of dates in another form than ISO 8601. The example is one that the formats read differently. */
export function findDates(columns: readonly ColumnSummary[], sample: Batch): ForeignDates | undefined {
  const c = columns.findIndex((column) => isTime(column) && column.foreign)
  if (c < 0) return undefined
  const formats = columns[c].foreign!
  const texts = filledTexts(sample, c)
  const readings = (text: string): number =>
    new Set(formats.map((format) => compileTimeFormat(format)(text))).size
  const example = texts.find((text) => readings(text) > 1) ?? texts[0]
  return { column: columns[c].name, example, formats }
}

/** The question how dates are read. */
export function datesQuestion({ column, example, formats }: ForeignDates): Question {
  return {
    ...{ kind: 'dates', id: `dates ${column}`, isNeeded: formats.length > 1, column, example },
    answers: formats.map((format): Answer => {
      const time = compileTimeFormat(format)(example)
      return {
        key: format,
        reading: new Date(time / 1000).toISOString(),
        changes: { dates: [format] },
      }
    }),
  }
}

/** A chosen format, and the question that replaces the one about the first rows, if all rows have answered it. */
export interface ChosenDates {
  format: string
  question?: Question
}

/**
 * Chooses the format of the first column of dates that is binned; undefined if dates are ISO 8601.
 * @param known the numbers of formats that were found before, by column; it is added to
 */
export async function chooseDates(
  table: Table,
  choice: TableChoice,
  known: Map<string, number>,
): Promise<ChosenDates | undefined> {
  const sample = await firstRows(table)
  const columns = summarizeSample(table, sample)
  const c = columns.findIndex(
    (column) =>
      isTime(column) &&
      column.foreign &&
      binningsOf(choice, column.name).some((binning) => binning !== 'none'),
  )
  if (c < 0) return undefined
  const { name, foreign: formats = [] } = columns[c]
  const key = `format of ${name}`
  const found = known.get(key) ?? (formats.length > 1 ? await findOnlyFormat(table, c, formats) : 0)
  known.set(key, found)
  if (found < 0 || formats.length === 1) return { format: formats[0] }
  const format = formats[found]
  const example = await firstText(table, c)
  const { answers, ...question } = datesQuestion({ column: name, example, formats: [format] })
  return {
    format,
    question: { ...question, answers: [{ ...answers[0], changes: { dates: undefined } }] },
  }
}

/**
 * The question whether dates whose format is chosen stay as text in their mode; undefined if there is no such mode.
 * Their labels are not in the order of time then.
 */
export function dateTextsQuestion(table: Table, choice: TableChoice, sample: Batch): Question | undefined {
  if (!choice.dates || choice.melt !== undefined) return undefined
  const found = summarizeSample(table, sample).find(
    (column) =>
      isTime(column) && column.foreign && binningsOf(choice, column.name).every((one) => one === 'none'),
  )
  if (!found || binningsOf(choice, found.name).length === 0) return undefined
  const as = (key: string, binning: string): Answer => ({
    ...{ key, changes: {}, roles: { [found.name]: { role: 'mode', binnings: [binning] } } },
  })
  return {
    ...{ kind: 'dateTexts', id: `text ${found.name}`, isNeeded: false, column: found.name },
    answers: [as('text', 'none'), as('day', 'day')],
  }
}

/** The number of the only format by which all rows are times; -1 if there are several or none. */
async function findOnlyFormat(table: Table, column: number, formats: readonly string[]): Promise<number> {
  const { name, type } = table.columns[column]
  let left = formats.map((format, f) => ({ f, reader: new TimeColumn(name, type, [format]) }))
  for await (const { columns, rowCount } of table.read([{ column }])) {
    const [cells] = columns
    if (cells instanceof Float64Array) return -1
    const isFilled = (row: number): boolean =>
      cells.ends[row] > cells.starts[row] && !isMissingMark(cellText(cells, row) ?? '')
    left = left.filter(({ reader }) =>
      reader.times(cells, rowCount).every((time, row) => !Number.isNaN(time) || !isFilled(row)),
    )
    // The remaining rows may still decide between two formats that fit so far.
    if (left.length === 0) return -1
  }
  return left.length === 1 ? left[0].f : -1
}

/** The first filled cell of a column. */
async function firstText(table: Table, column: number): Promise<string> {
  const { columns, rowCount } = await table.sample()
  const cells = columns[column]
  for (let row = 0; row < rowCount && !(cells instanceof Float64Array); row++) {
    const text = cellText(cells, row)
    if (text !== null) return text
  }
  return ''
}
