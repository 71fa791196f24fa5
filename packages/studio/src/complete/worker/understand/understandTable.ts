/** Understands a table by its first rows: the roles of its columns, and questions about what is not clear. */
import { type Batch, type ColumnSummary, cellText } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import type { Question, TableChoice, TableFormat, Understanding } from '../../understanding/index.ts'
import { datesQuestion, findDates } from './dateQuestion.ts'
import { guessRoles } from './guessRoles.ts'
import { meltChoice, wideQuestion } from './meltChoice.ts'
import { findNumberSigns, judgeSign, numberQuestion } from './numberQuestion.ts'
import { filledTexts, firstRows, summarizeSample } from './sampleTexts.ts'
import { withNumberSigns } from './shapeTable.ts'
import { findUnit, unitOf, unitQuestion } from './unitQuestion.ts'
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
  const numbers = findNumberSigns(table, sample, plain)
  const dates = findDates(plain, sample)
  const unit = findUnit(plain, sample)
  const format: TableFormat = {
    ...numbers?.guess,
    dates: dates && dates.formats.length === 1 ? dates.formats : undefined,
    removeUnits: unit ? true : undefined,
  }
  const choiceOf = (own: TableFormat): TableChoice => guessChoice(table, sample, own, dates?.formats)
  const wide = findWideColumns(summariesOf(table, sample, format, dates?.formats))
  const long = choiceOf(format)
  const choice = wide && wide.names.length > 0 ? meltChoice(table, sample, format, wide) : long
  const questions: Question[] = []
  if (wide) questions.push(wideQuestion(wide, choice, long))
  if (dates)
    questions.push(
      datesQuestion(dates, (formats) => rolesOf(choiceOf({ ...format, dates: formats })), !!wide),
    )
  if (numbers)
    questions.push(
      numberQuestion(numbers, (signs) => (wide ? {} : rolesOf(choiceOf({ ...format, ...signs })))),
    )
  if (unit && !wide)
    questions.push(unitQuestion(unit, (removeUnits) => rolesOf(choiceOf({ ...format, removeUnits }))))
  return {
    columns: summariesOf(table, sample, format, dates?.formats),
    choice,
    preview: previewRows(sample, table.columns.length),
    questions,
    sheets,
  }
}

/** The roles of a choice, which an answer gives. */
const rolesOf = ({ modes, value, merge, place }: TableChoice): Partial<TableChoice> => ({
  ...{ modes, value, merge, place },
})

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
  // Numbers with a separator that is also the delimiter are in quotes for that reason, and are no text.
  const columns = styled.columns.map((column, c) =>
    column.quoted && thousands !== undefined && judgeSign(filledTexts(sample, c), thousands, decimal)
      ? { ...column, quoted: undefined }
      : column,
  )
  return summarizeSample({ ...styled, columns }, sample, known).map((column, c) =>
    format.removeUnits && column.type === 'VARCHAR' && unitOf(sample, c)
      ? { ...column, type: 'DOUBLE' as const, measure: undefined }
      : column,
  )
}

/** The guessed choice by a format. @param dates all formats that dates may have, where the format has none */
function guessChoice(
  table: Table,
  sample: Batch,
  format: TableFormat,
  dates: readonly string[] | undefined,
): TableChoice {
  const columns = summariesOf(table, sample, format, dates)
  return { ...format, ...guessRoles(table, sample, columns, format.dates ?? dates) }
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
