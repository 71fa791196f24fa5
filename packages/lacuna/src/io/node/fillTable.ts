/**
 * Writes a table, long or wide, with its empty cells filled by predictions and a column `inferred` that marks
 * them.
 */
import { InputError, option, sentence, setting } from '../../base/inputError.ts'
import type { AskedRows } from '../../model/index.ts'
import {
  findColumn,
  freeName,
  isMissingMark,
  type Labelled,
  labelWriters,
  meltTable,
  type OutputColumn,
  type OutputRow,
  openQueries,
  type Table,
  type TableColumn,
  type Thousands,
  textOfCell,
} from '../table/index.ts'
import { abbreviate, escapeRegExp, numberAsText } from '../text/index.ts'
import { AbsentRows } from './absentRows.ts'
import type { Input } from './files/index.ts'
import { inferTypes, withTable } from './tables.ts'
import { type AnswerOutput, writeAnswers } from './writeAnswers.ts'

/** Which columns hold modes and values, and where the result goes. */
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
  /** Names of columns behind the value that `predict` also returns, such as low and high; none by default. */
  added?: readonly string[]
  /**
   * Whether a long table also gets the rows that it lacks, a cell of the model each: all of them, only if they
   * are at most as many as it has, or none, the default.
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
  /** The number of rows that a long table lacked; undefined if they were not counted. */
  absent?: number
  /** The number of these that were added. */
  addedRows: number
  /** Modes that are binned or computed, so that rows that the table lacks were not looked for; none by default. */
  unwritable?: readonly string[]
}

/**
 * Writes a table with its empty cells filled, and counts them. Throws if the column of values is missing.
 * @param model its modes and labels say what the columns mean
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
  const opening = {
    typed: melt === undefined ? (modes ?? []) : [],
    verbatim: true,
    ...{ decimal, thousands, input, query, melt },
    ...(options.mayBeSql && options.value !== undefined && { values: [options.value] }),
  }
  await withTable([path], opening, async (table) => {
    const types = 'session' in table ? table.columns.map(({ type }) => type) : await inferTypes(table)
    const written = melt === undefined ? valueColumns(table) : undefined
    const copied = ownColumns(table).map(
      ({ name }, c): OutputColumn => ({
        ...{ name, kind: 'text' },
        type: written?.isComputed && c === written.target ? 'DOUBLE' : types[c],
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
    await writeAnswers(output, [...copied, ...behind], rows)
  })
  return counts

  /** The text of a number with the table's decimal separator. */
  function numberIn(table: Table, y: number): string {
    const text = numberAsText(y)
    return table.decimal === ',' ? text.replace('.', ',') : text
  }

  /**
   * The column whose values are filled, and the one that they are written into: another one where the values are
   * SQL. Throws if there is none, or SQL names several.
   */
  function valueColumns(table: Table): { value: string; target: number; isComputed: boolean } {
    const column = options.value === undefined ? -1 : findColumn(table.columns, options.value)
    if (column < 0)
      throw new InputError(
        'table',
        sentence`${table.name}: there is no column ${options.value === undefined ? 'of values' : `"${options.value}"`} to be filled; name it with ${option('value')}, or use lacuna predict, which needs none.`,
      )
    const { name: value, computed } = table.columns[column]
    if (!computed) return { value, target: column, isComputed: false }
    const sql = value.replace(/'(?:[^']|'')*'/g, ' ')
    const targets = ownColumns(table).flatMap(({ name }, c) => (namesColumn(sql, name) ? [c] : []))
    if (targets.length !== 1)
      throw new InputError(
        'table',
        sentence`${table.name}: the values are ${value}, which is not of one column that could be filled; compute them by ${setting('query', `SELECT *, ${value} AS filled FROM data`)} ${setting('value', 'filled')}.`,
      )
    return { value, target: targets[0], isComputed: true }
  }

  /**
   * Yields batches of a long table's rows, filled, each with `true` or `false` in the column of marks; then the
   * rows that it lacks, if they are wanted.
   */
  async function* fillLongRows(table: Table): AsyncGenerator<OutputRow[]> {
    const { value, target: column, isComputed } = valueColumns(table)
    const none = added.map(() => null)
    const { writers, unwritable } = await labelWriters(table, model, modes)
    const missing = absent === 'none' || unwritable.length > 0 ? undefined : AbsentRows.of(model)
    if (absent !== 'none' && unwritable.length > 0) counts.unwritable = unwritable
    for await (const batch of openQueries(table, model, { value, modes })) {
      const [predictions, ...others] = predict(batch)
      missing?.note(batch)
      yield Array.from({ length: batch.rowCount }, (_, row): OutputRow => {
        const cells = batch.fields.map((cells) => textOfCell(cells, row))
        counts.rows++
        if (isComputed && !Number.isNaN(batch.observed[row]))
          cells[column] = numberAsText(batch.observed[row])
        if (!Number.isNaN(batch.observed[row])) return [...cells, ...none, 'false']
        refuseUnreadable(table, value, cells[column])
        counts.empty++
        if (Number.isNaN(predictions[row])) return [...cells, ...none, 'false']
        counts.filled++
        cells[column] = numberIn(table, predictions[row])
        return [...cells, ...others.map((own) => numberIn(table, own[row])), 'true']
      })
    }
    if (!missing) return
    counts.absent = missing.count
    if (absent === 'few' && missing.count > counts.rows) return
    for (const batch of missing.batches()) {
      const [predictions, ...others] = predict(batch)
      counts.addedRows += batch.rowCount
      yield Array.from({ length: batch.rowCount }, (_, row): OutputRow => {
        const cells: (string | null)[] = ownColumns(table).map(() => null)
        batch.labels(row).forEach((label, mode) => {
          const { column, write } = writers[mode]
          cells[column] = write(label)
        })
        cells[column] = numberIn(table, predictions[row])
        return [...cells, ...others.map((own) => numberIn(table, own[row])), 'true']
      })
    }
  }

  /**
   * Yields batches of a wide table's rows, filled, each with the names of the columns that were filled, as a
   * JSON array, in the column of marks. Reads the table twice.
   */
  async function* fillWideRows(table: Table, mode: string): AsyncGenerator<OutputRow[]> {
    const melted = meltTable(table, mode, modes ?? [])
    const { wide } = melted
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
        const cells = columns.map((cells) => textOfCell(cells, row))
        const names = wide.flatMap((column, w) => {
          const y = predicted[(start + row) * wide.length + w]
          if (Number.isNaN(y)) return []
          refuseUnreadable(table, table.columns[column].name, cells[column])
          counts.filled++
          cells[column] = numberIn(table, y)
          return [table.columns[column].name]
        })
        return [...cells, JSON.stringify(names)]
      })
    }
  }
}

/** The columns of a table without those that SQL computes, which come last. */
const ownColumns = ({ columns }: Table): readonly TableColumn[] => columns.filter(({ computed }) => !computed)

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
