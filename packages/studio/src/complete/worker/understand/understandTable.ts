/** Understands a table by its first rows: the roles of its columns, and questions about what is not clear. */
import { type Batch, type ColumnSummary, cellText } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import type { Question, RoleGuess, TableFormat, Understanding } from '../../understanding/index.ts'
import { datesQuestion, type ForeignDates, findDates } from './dateQuestion.ts'
import { guessMelt, wideQuestion } from './meltChoice.ts'
import { findNumberSigns, judgeSign, type NumberSigns, numberQuestion } from './numberQuestion.ts'
import { dependenceQuestion, type GuessedRoles, guessRoles, measuresQuestion } from './roles/index.ts'
import { filledTexts, firstRows, summarizeSample } from './sampleTexts.ts'
import { withNumberSigns } from './shapeTable.ts'
import { findUnit, type UnitColumn, unitOf, unitQuestion } from './unitQuestion.ts'
import { findWideColumns } from './wideColumns.ts'

/** The number of rows that are shown. */
const PREVIEW_ROWS = 6
/** The most columns that are shown of each row. */
const PREVIEW_COLUMNS = 400

/**
 * Understands a table by its first rows.
 * @param sheets the sheets of a workbook, and the one that is the table
 */
export async function understandTable(
  table: Table,
  sheets?: Understanding['sheets'],
): Promise<Understanding> {
  const sample = await firstRows(table)
  const plain = summarizeSample(table, sample)
  const found: FoundFormats = {
    dates: findDates(plain, sample),
    numbers: findNumberSigns(table, sample, plain),
    unit: findUnit(plain, sample),
  }
  const { dates, numbers, unit } = found
  const format: TableFormat = {
    ...numbers?.guess,
    dates: dates && dates.formats.length === 1 ? dates.formats : undefined,
    removeUnits: unit ? true : undefined,
  }
  const summarize = (own: TableFormat): ColumnSummary[] =>
    summariesOf(table, sample, assumeSigns(own, numbers), dates?.formats)
  const columns = summarize(format)
  const wide = findWideColumns(columns)
  const melted = wide && guessMelt(table, sample, wide)
  const guess = (own: TableFormat): GuessedRoles =>
    guessRoles(table, sample, summarize(own), own.dates ?? dates?.formats)
  const guesses = formatsOf(format, found).flatMap((own): RoleGuess[] => {
    const { roles } = guess(own)
    const long = {
      format: own,
      roles: { place: undefined, ignored: undefined, numberRows: undefined, ...roles },
    }
    return melted ? [{ format: { ...own, melt: melted.melt }, roles: melted.roles }, long] : [long]
  })
  const questions: Question[] = []
  if (wide && melted) questions.push(wideQuestion(wide, melted.melt))
  if (dates) questions.push(datesQuestion(dates))
  if (numbers) questions.push(numberQuestion(numbers))
  if (unit && !wide) questions.push(unitQuestion(unit))
  if (!wide) {
    const { dependences, either } = guess(format)
    if (either) questions.push(measuresQuestion(either))
    questions.push(...dependences.map(dependenceQuestion))
  }
  const [first] = guesses
  return {
    columns,
    choice: { modes: [], merge: 'error', ...first.format, ...first.roles },
    preview: previewRows(sample, table.columns.length),
    questions,
    guesses,
    sheets,
  }
}

/** What can be read in more than one way. */
interface FoundFormats {
  dates?: ForeignDates
  numbers?: NumberSigns
  unit?: UnitColumn
}

/** The formats that the answers to all questions can make, the guessed one first. */
function formatsOf(guessed: TableFormat, { dates, numbers, unit }: FoundFormats): TableFormat[] {
  const datesOf = dates && dates.formats.length > 1 ? dates.formats.map((one) => [one]) : []
  const signsOf = numbers ? numbers.options : []
  const formats = [guessed.dates, ...datesOf].flatMap((dates) =>
    [{ decimal: guessed.decimal, thousands: guessed.thousands }, ...signsOf].flatMap((signs) =>
      (unit ? [true, undefined] : [undefined]).map((removeUnits) => ({ dates, ...signs, removeUnits })),
    ),
  )
  const keyOf = (one: TableFormat): string =>
    JSON.stringify([one.dates, one.decimal, one.thousands, one.removeUnits].map((field) => field ?? null))
  return [...new Map(formats.map((one) => [keyOf(one), one])).values()]
}

/** A format in which the first answer to the question about a comma or point in numbers is assumed until there is one. */
const assumeSigns = (format: TableFormat, numbers: NumberSigns | undefined): TableFormat =>
  numbers?.isNeeded && format.decimal === undefined && format.thousands === undefined
    ? { ...format, ...numbers.options[0] }
    : format

/** The summaries of the columns by a format; a column whose unit is removed is one of numbers. */
function summariesOf(
  table: Table,
  sample: Batch,
  format: TableFormat,
  dates: readonly string[] | undefined,
): ColumnSummary[] {
  const { thousands, decimal } = format
  const styled = withNumberSigns(table, { ...format })
  const known = format.dates ?? dates
  // Numbers with a sign that is also the delimiter are in quotes for that reason, and are no text.
  const hasSign = (c: number): boolean => {
    const texts = filledTexts(sample, c)
    if (thousands !== undefined) return judgeSign(texts, thousands, decimal) !== undefined
    return decimal !== undefined && judgeSign(texts, decimal, table.decimal) !== undefined
  }
  const columns = styled.columns.map((column, c) =>
    column.quoted && hasSign(c) ? { ...column, quoted: undefined } : column,
  )
  return summarizeSample({ ...styled, columns }, sample, known).map((column, c) =>
    format.removeUnits && column.type === 'VARCHAR' && unitOf(sample, c)
      ? { ...column, type: 'DOUBLE' as const, measure: undefined }
      : column,
  )
}

/** The first rows as text. */
function previewRows(sample: Batch, columns: number): string[][] {
  const shown = Math.min(columns, PREVIEW_COLUMNS)
  return Array.from({ length: Math.min(PREVIEW_ROWS, sample.rowCount) }, (_, row) =>
    Array.from({ length: shown }, (_, c) => {
      const cells = sample.columns[c]
      if (cells === undefined) return ''
      if (cells instanceof Float64Array) return Number.isNaN(cells[row]) ? '' : String(cells[row])
      return cellText(cells, row) ?? ''
    }),
  )
}
