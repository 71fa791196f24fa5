/**
 * Writes a table, long or wide, with its empty cells filled by predictions and a column `inferred` that marks
 * them.
 */
import { InputError, option, sentence, setting } from '../../base/inputError.ts'
import { isNumeric } from '../../labels/index.ts'
import type { AskedRows } from '../../model/index.ts'
import {
  findColumn,
  freeName,
  isMissingMark,
  type Labelled,
  labelWriters,
  meltTable,
  type NumberForm,
  type OutputColumn,
  type OutputRow,
  openQueries,
  ownColumns,
  plainNumber,
  type Table,
  type Thousands,
  textOfCell,
  writeExactly,
  writeInForm,
} from '../table/index.ts'
import { abbreviate, escapeRegExp } from '../text/index.ts'
import { AbsentCells, type AbsentRow, AbsentRows, RowOrder } from './absentRows/index.ts'
import type { Input } from './files/index.ts'
import { formOfComputed, formOfNumbers } from './formOfNumbers.ts'
import { inferTypes, withTable } from './tables.ts'
import { type AnswerOutput, formatOf, formForOutput, writeAnswers } from './writeAnswers.ts'

/** The columns of modes and values, and the output of the filled table. */
export interface FillTableOptions {
  /** The file or stream that receives the filled table. */
  output: AnswerOutput
  /** Per mode of the model, the column or binning that it is made of; by default found by the names. */
  modes?: readonly string[]
  /** The column of values; a wide table has none. */
  value?: string
  /**
   * Whether `value` may be SQL that computes the values from one column, into which they are written; false by
   * default.
   */
  mayBeSql?: boolean
  /** The mode whose labels are the names of a wide table's columns; undefined for a long table. */
  melt?: string
  /** The decimal separator of numbers in text; recognized by default. */
  decimal?: ',' | '.'
  /** The separator between thousands of numbers in text; none by default. */
  thousands?: Thousands
  /** SQL whose result is filled instead of the file, which is its table `data`. */
  query?: string
  /** The file, if it has been opened already; opened from the path by default. */
  input?: Input
  /** The size of values, by which they get digits where the table shows none; all digits by default. */
  typical?: number
  /** Names of columns behind the value that `predict` also returns, such as low and high; none by default. */
  added?: readonly string[]
  /**
   * Whether a long table also gets its absent rows, those of cells of the model that have no row: all of them, only
   * if they are at most as many as it has, or none, the default.
   */
  absent?: 'all' | 'few' | 'none'
}

/** Counts of a table that was filled. */
export interface FilledTable {
  rows: number
  /** The number of cells that were empty. */
  empty: number
  /** The number of empty cells that have a value now; the others have no prediction. */
  filled: number
  /** The number of absent rows of a long table; undefined if they were not counted. */
  absent?: number
  /** The number of these that were added. */
  addedRows: number
  /** Modes that are binned or computed, so that absent rows were not looked for; none by default. */
  unwritable?: readonly string[]
}

/**
 * Writes a table with its empty cells filled, and counts them. Throws if the column of values is missing.
 * @param model its modes and labels determine the meaning of the columns
 * @param predict the predictions for all rows of a batch, NaN where there is none, and a column each for `added`
 */
export async function fillTable(
  path: string,
  model: Labelled,
  predict: (batch: AskedRows) => readonly Float64Array[],
  options: FillTableOptions,
): Promise<FilledTable> {
  const { melt, modes, decimal, thousands, input, query, output, added = [], absent = 'none' } = options
  const counts: FilledTable = { rows: 0, empty: 0, filled: 0, addedRows: 0 }
  /** Whether numbers are written as the table writes them; in JSON and Parquet they are numbers. */
  const isText = ['csv', 'tsv'].includes(formatOf(output) ?? '')
  /** Per column of the table, whether its cells are numbers. */
  let isNumber: boolean[] = []
  const opening = {
    typed: melt === undefined ? (modes ?? []) : [],
    verbatim: true,
    ...{ decimal, thousands, input, query, melt },
    ...(options.mayBeSql && options.value !== undefined && { values: [options.value] }),
  }
  await withTable([path], opening, async (table) => {
    const types = 'session' in table ? table.columns.map(({ type }) => type) : await inferTypes(table)
    const written = melt === undefined ? valueColumns(table) : undefined
    const filled = melt === undefined ? [written!.target] : meltTable(table, melt, modes ?? []).wide
    isNumber = types.map((type, c) => filled.includes(c) || (type !== undefined && isNumeric(type)))
    const copied = ownColumns(table).map(
      ({ name }, c): OutputColumn => ({
        ...{ name, kind: 'text' },
        type: filled.includes(c) && (written?.source !== undefined || !isText) ? 'DOUBLE' : types[c],
      }),
    )
    const taken = new Set(copied.map(({ name }) => name.toLowerCase()))
    const behind = [...added, 'inferred'].map(
      (name): OutputColumn => ({
        name: freeName(name, taken),
        kind: 'text',
        type: name === 'inferred' ? (melt === undefined ? 'BOOLEAN' : undefined) : 'DOUBLE',
      }),
    )
    const rows = melt === undefined ? fillLongRows(table) : fillWideRows(table, melt)
    await writeAnswers(output, [...copied, ...behind], rows, formForOutput(table.form, path, output))
  })
  return counts

  /** The text of a cell as it is written: in JSON and Parquet a number has a decimal point and no other signs. */
  function cellIn(table: Table, column: number, text: string | null): string | null {
    if (text === null || isText || !isNumber[column]) return text
    return plainNumber(text, { decimal: table.decimal ?? table.form?.decimal, thousands: table.thousands })
  }

  /** The form in which numbers of some form are written: in JSON and Parquet that of JavaScript. */
  function formIn(form: NumberForm): NumberForm {
    return isText ? form : { decimals: form.decimals }
  }

  /**
   * The name of the column whose values are filled, and the one that they are written into; where the values are SQL,
   * also the column of what it computes. Throws if there is none, or SQL names several.
   */
  function valueColumns(table: Table): { value: string; target: number; source?: number } {
    const column = options.value === undefined ? -1 : findColumn(table.columns, options.value)
    if (column < 0)
      throw new InputError(
        'table',
        sentence`${table.name}: there is no column ${options.value === undefined ? 'of values' : `"${options.value}"`} to be filled; name it with ${option('value')}, or use lacuna predict, which needs none.`,
      )
    const { name: value, computed } = table.columns[column]
    if (!computed) return { value, target: column }
    const sql = value.replace(/'(?:[^']|'')*'/g, ' ')
    const targets = ownColumns(table).flatMap(({ name }, c) => (namesColumn(sql, name) ? [c] : []))
    if (targets.length !== 1)
      throw new InputError(
        'table',
        sentence`${table.name}: the values are ${value}, which is not of one column that could be filled; compute them by ${setting('query', `SELECT *, ${value} AS filled FROM data`)} ${setting('value', 'filled')}.`,
      )
    return { value, target: targets[0], source: column }
  }

  /**
   * Yields batches of a long table's rows, filled, each with `true` or `false` in the column of marks; among them, or
   * behind them if they are in no order, the absent rows, if they are wanted. Reads the table twice if they may be.
   */
  async function* fillLongRows(table: Table): AsyncGenerator<OutputRow[]> {
    const { value, target, source } = valueColumns(table)
    const form = formIn(
      source === undefined
        ? await formOfNumbers(table, [target], options.typical)
        : await formOfComputed(table, target, source, options.typical),
    )
    const none = added.map(() => null)
    const { writers, unwritable } = await labelWriters(table, model, modes)
    if (absent !== 'none' && unwritable.length > 0) counts.unwritable = unwritable
    const absentRows =
      absent === 'none' || unwritable.length > 0 ? undefined : await findAbsentRows(table, value)
    for await (const batch of openQueries(table, model, { value, modes })) {
      const [predictions, ...others] = predict(batch)
      yield Array.from({ length: batch.rowCount }, (_, row): OutputRow[] => {
        const cells = batch.fields.map((cells, c) => cellIn(table, c, textOfCell(cells, row)))
        const before = absentRows?.before(batch.indices.map((column) => column[row])) ?? []
        return [...before.map(writeAbsentRow), fillRow(cells, row)]

        /** The row of the table with its value filled, if it is empty. */
        function fillRow(cells: (string | null)[], row: number): OutputRow {
          counts.rows++
          const observed = batch.observed[row]
          if (source !== undefined && !Number.isNaN(observed)) cells[target] = writeExactly(observed, form)
          if (!Number.isNaN(observed)) return [...cells, ...none, 'false']
          refuseUnreadable(table, value, cells[target])
          counts.empty++
          if (Number.isNaN(predictions[row])) return [...cells, ...none, 'false']
          counts.filled++
          cells[target] = writeInForm(predictions[row], form)
          return [...cells, ...others.map((own) => writeInForm(own[row], form)), 'true']
        }
      }).flat()
    }
    for (const rest of absentRows?.rest() ?? []) yield rest.map(writeAbsentRow)

    /** An absent row as it is written: its labels, the prediction, and what is added. */
    function writeAbsentRow({ labels, answers: [prediction, ...others] }: AbsentRow): OutputRow {
      counts.addedRows++
      const cells: (string | null)[] = ownColumns(table).map(() => null)
      labels.forEach((label, mode) => {
        const { column, write } = writers[mode]
        cells[column] = cellIn(table, column, write(label))
      })
      cells[target] = writeInForm(prediction, form)
      return [...cells, ...others.map((own) => writeInForm(own, form)), 'true']
    }
  }

  /** Reads a long table once to find its absent rows; undefined if none, or too many, are to be added. */
  async function findAbsentRows(table: Table, value: string): Promise<AbsentRows | undefined> {
    const cells = AbsentCells.of(model)
    if (!cells) return undefined
    const order = new RowOrder(model.dims)
    let rows = 0
    for await (const batch of openQueries(table, model, { value, modes })) {
      cells.note(batch)
      order.note(batch.rowCount, batch.indices)
      rows += batch.rowCount
    }
    counts.absent = cells.count
    if (absent === 'few' && cells.count > rows) return undefined
    return new AbsentRows(cells, order, predict)
  }

  /**
   * Yields batches of a wide table's rows, filled, each with the names of the columns that were filled, as a
   * JSON array, in the column of marks. Reads the table twice.
   */
  async function* fillWideRows(table: Table, mode: string): AsyncGenerator<OutputRow[]> {
    const melted = meltTable(table, mode, modes ?? [])
    const { wide } = melted
    const form = formIn(await formOfNumbers(table, wide, options.typical))
    const value = melted.columns[melted.columns.length - 1].name
    /** Per cell of the wide columns, row by row: the prediction, NaN where the cell is not empty. */
    const predicted: number[] = []
    for await (const batch of openQueries(melted, model, { value })) {
      const [predictions] = predict(batch)
      for (let row = 0; row < batch.rowCount; row++) {
        const isEmpty = Number.isNaN(batch.observed[row])
        if (isEmpty) counts.empty++
        predicted.push(isEmpty ? predictions[row] : NaN)
      }
    }
    const everyColumn = table.columns.map((_, column) => ({ column, asText: true }))
    let first = 0
    for await (const { rowCount, columns } of table.read(everyColumn)) {
      const start = first
      first += rowCount
      yield Array.from({ length: rowCount }, (_, row): OutputRow => {
        counts.rows++
        const cells = columns.map((cells, c) => cellIn(table, c, textOfCell(cells, row)))
        const names = wide.flatMap((column, w) => {
          const y = predicted[(start + row) * wide.length + w]
          if (Number.isNaN(y)) return []
          refuseUnreadable(table, table.columns[column].name, cells[column])
          counts.filled++
          cells[column] = writeInForm(y, form)
          return [table.columns[column].name]
        })
        return [...cells, JSON.stringify(names)]
      })
    }
  }
}

/** Whether SQL without texts in quotes names a column. */
const namesColumn = (sql: string, name: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${escapeRegExp(name)}(?![\\p{L}\\p{N}_(])`, 'iu').test(sql)

/**
 * Throws if a cell without a number is not empty: filling it would replace a value that could not be read.
 * @param text of the cell; null if it is empty
 */
function refuseUnreadable({ name }: Table, column: string, text: string | null): void {
  if (text === null || text.trim() === '' || isMissingMark(text)) return
  throw new InputError(
    'table',
    sentence`${name}: ${column} has "${abbreviate(text)}", which is no number, and would be replaced; make it a number, as by ${option('query')}, or leave it empty.`,
  )
}
