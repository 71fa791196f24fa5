/**
 * Melts a wide table to a long one: columns that are labels of one mode become a column of their names, and
 * one of their cells.
 */

import { InputError, option, sentence } from '../../base/inputError.ts'
import { numberText } from '../../labels/index.ts'
import { escapeRegExp } from '../text/index.ts'
import { findColumn, findMode } from './columns/modes.ts'
import {
  type Batch,
  type Cells,
  cellsOf,
  cellText,
  columnList,
  freeName,
  type Table,
  type Wanted,
} from './source/rows.ts'

/** The most rows of the long table per batch, unless one row of the wide table becomes more. */
const BATCH_ROWS = 2 ** 16

/** A long table: each row of the wide one becomes one row for every melted column, in their order. */
export interface MeltedTable extends Table {
  /** Positions of the melted columns in the wide table. */
  wide: readonly number[]
}

/**
 * Makes a long table: its columns are those that are not melted, then one with the names of the melted
 * columns, then one with their cells. Throws if it is not clear which columns are melted.
 * @param melt the name of the new mode and, after an equals sign, patterns of the columns to melt; without
 * patterns, all columns that no mode names
 * @param modes the modes as the user typed them
 */
export function meltTable(table: Table, melt: string, modes: readonly string[]): MeltedTable {
  const [, mode, patterns] = /^([^=]+?)\s*(?:=\s*([\s\S]+))?$/.exec(melt.trim()) ?? []
  if (mode === undefined)
    throw new InputError(
      'option',
      sentence`${option('melt')} is empty; give the name of the mode that the columns become.`,
    )
  if (findColumn(table.columns, mode) >= 0)
    throw new InputError(
      'table',
      sentence`${table.name}: there is a column ${mode} already; give ${option('melt')} another name.`,
    )
  const named = new Set(modes.flatMap((text) => columnOf(table, text, mode)))
  const wide = table.columns.flatMap(({ name }, c) => (isMelted(name, patterns, named.has(c)) ? [c] : []))
  if (wide.length === 0 || (patterns === undefined && named.size === 0))
    throw new InputError(
      'table',
      sentence`${table.name}: it is not clear which columns are to become rows; name the others with ${option('modes')}, or these with ${option('melt', `${mode}=2024-*`)} (the columns are ${columnList(table.columns)}).`,
    )
  const melted = new Set(wide)
  const fixed = table.columns.map((_, c) => c).filter((c) => !melted.has(c))
  const taken = new Set([...fixed.map((c) => table.columns[c].name.toLowerCase()), mode.toLowerCase()])
  const names = cellsOf(wide.map((c) => table.columns[c].name))
  const columns = [...fixed.map((c) => table.columns[c]), { name: mode }, { name: freeName('value', taken) }]
  const texts = wide.map((column) => ({ column, asText: true }))

  /**
   * Yields the rows of a batch of the wide table as batches of the long one.
   * @param wanted columns of the long table
   * @param first the position of the first melted column in the batch
   */
  function* meltBatch(batch: Batch, wanted: readonly Wanted[], first: number): Generator<Batch> {
    const rows = Math.max(1, Math.floor(BATCH_ROWS / wide.length))
    for (let start = 0; start < batch.rowCount; start += rows) {
      const count = Math.min(rows, batch.rowCount - start)
      const rowOf = (row: number): number => start + Math.floor(row / wide.length)
      const rowCount = count * wide.length
      const pick = <A extends Int32Array | Uint32Array | Float64Array>(into: A, from: A): A => {
        for (let row = 0; row < rowCount; row++) into[row] = from[rowOf(row)]
        return into
      }
      const cells = wanted.map(({ column }, w): Cells => {
        if (column === fixed.length) {
          const starts = Int32Array.from({ length: rowCount }, (_, row) => names.starts[row % wide.length])
          const ends = Int32Array.from({ length: rowCount }, (_, row) => names.ends[row % wide.length])
          return { bytes: names.bytes, starts, ends }
        }
        if (column > fixed.length)
          return meltCells(batch.columns.slice(first, first + wide.length), start, rowCount)
        const own = batch.columns[w]
        if (own instanceof Float64Array) return pick(new Float64Array(rowCount), own)
        const { bytes, starts, ends } = own
        return {
          bytes,
          starts: pick(new Int32Array(rowCount), starts),
          ends: pick(new Int32Array(rowCount), ends),
        }
      })
      const lines = pick(new Uint32Array(rowCount), batch.lines)
      yield { rowCount, columns: cells, file: batch.file, lines }
    }
  }

  /** The cells of the melted columns from row `start` on, row by row, as one column of `rowCount` cells. */
  function meltCells(columns: readonly Cells[], start: number, rowCount: number): Cells {
    return cellsOf(
      Array.from({ length: rowCount }, (_, row) => {
        const cells = columns[row % wide.length]
        const at = start + Math.floor(row / wide.length)
        if (!(cells instanceof Float64Array)) return cellText(cells, at)
        return Number.isNaN(cells[at]) ? null : numberText(cells[at], 'DOUBLE')
      }),
    )
  }

  /** Reads the long table. */
  async function* read(wanted: readonly Wanted[]): AsyncGenerator<Batch> {
    const own = wanted.map(({ column }) => ({ column: fixed[Math.min(column, fixed.length - 1)] ?? wide[0] }))
    for await (const batch of table.read([...own, ...texts])) yield* meltBatch(batch, wanted, own.length)
  }

  return {
    name: table.name,
    unit: table.unit,
    columns,
    wide,
    read,
    decimal: table.decimal,
    thousands: table.thousands,
    guesses: table.guesses,
    async sample() {
      const all = columns.map((_, column) => ({ column }))
      const sample = await table.sample()
      const own = all.map(
        ({ column }) => sample.columns[fixed[Math.min(column, fixed.length - 1)] ?? wide[0]],
      )
      const wideCells = wide.map((c) => sample.columns[c])
      const { value } = meltBatch({ ...sample, columns: [...own, ...wideCells] }, all, own.length).next()
      return value ?? { ...sample, rowCount: 0 }
    },
  }
}

/** The position of the column that a mode is made of, in a list; empty if it is the melted one. */
function columnOf({ columns, name }: Table, text: string, melted: string): number[] {
  const found = findMode(text, [...columns, { name: melted }], name)
  if (!found)
    throw new InputError(
      'table',
      sentence`${name}: a mode of a wide table is a column or a binning of one, not ${text}; for SQL, write UNPIVOT in a ${option('query')}.`,
    )
  return found.column < columns.length ? [found.column] : []
}

/** Whether a column is melted: by patterns with *, separated by commas, or else if no mode names it. */
function isMelted(name: string, patterns: string | undefined, named: boolean): boolean {
  if (patterns === undefined) return !named
  return patterns.split(',').some((pattern) => {
    const parts = pattern.trim().split('*').map(escapeRegExp)
    return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(name)
  })
}
