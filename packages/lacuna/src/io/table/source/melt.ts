/**
 * A wide table as a long one: the columns that stand for the rows of a mode become a column of their names.
 */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { numberText } from '../../text/index.ts'
import { findColumn, findMode } from '../columns/modes.ts'
import {
  type Batch,
  type Cells,
  cellsOf,
  cellText,
  columnList,
  freeName,
  type Table,
  type Wanted,
} from './rows.ts'

/** Long rows that are made at a time. */
const BATCH_ROWS = 2 ** 16

/** A row of the wide table is as many rows here as there are wide columns, in their order. */
export interface MeltedTable extends Table {
  /** By their places in the wide table. */
  wide: readonly number[]
}

/**
 * The table with a row for every cell of the columns meant: the other columns, then one with the columns'
 * names, then the cells. `melt` is its name and, after an equals sign, the columns; without any, all that no
 * mode names.
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
  const wide = table.columns.flatMap(({ name }, c) => (isMeant(name, patterns, named.has(c)) ? [c] : []))
  if (wide.length === 0 || (patterns === undefined && named.size === 0))
    throw new InputError(
      'table',
      sentence`${table.name}: it is not clear which columns are to become rows; name the others with ${option('modes')}, or these with ${option('melt', `${mode}=2024-*`)} (the columns are ${columnList(table.columns)}).`,
    )
  const kept = table.columns.map((_, c) => c).filter((c) => !wide.includes(c))
  const taken = new Set([...kept.map((c) => table.columns[c].name.toLowerCase()), mode.toLowerCase()])
  const names = cellsOf(wide.map((c) => table.columns[c].name))
  const columns = [...kept.map((c) => table.columns[c]), { name: mode }, { name: freeName('value', taken) }]
  const texts = wide.map((column) => ({ column, asText: true }))

  function* long(batch: Batch, wanted: readonly Wanted[], first: number): Generator<Batch> {
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
        if (column === kept.length) {
          const starts = Int32Array.from({ length: rowCount }, (_, row) => names.starts[row % wide.length])
          const ends = Int32Array.from({ length: rowCount }, (_, row) => names.ends[row % wide.length])
          return { bytes: names.bytes, starts, ends }
        }
        if (column > kept.length)
          return values(batch.columns.slice(first, first + wide.length), start, rowCount)
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

  function values(columns: readonly Cells[], start: number, rowCount: number): Cells {
    return cellsOf(
      Array.from({ length: rowCount }, (_, row) => {
        const cells = columns[row % wide.length]
        const at = start + Math.floor(row / wide.length)
        if (!(cells instanceof Float64Array)) return cellText(cells, at)
        return Number.isNaN(cells[at]) ? null : numberText(cells[at], 'DOUBLE')
      }),
    )
  }

  async function* read(wanted: readonly Wanted[]): AsyncGenerator<Batch> {
    const own = wanted.map(({ column }) => ({ column: kept[Math.min(column, kept.length - 1)] ?? wide[0] }))
    for await (const batch of table.read([...own, ...texts])) yield* long(batch, wanted, own.length)
  }

  return {
    name: table.name,
    unit: table.unit,
    columns,
    wide,
    read,
    ...(table.decimal && { decimal: table.decimal }),
    ...(table.guesses && { guesses: table.guesses }),
    async sample() {
      const all = columns.map((_, column) => ({ column }))
      const sample = await table.sample()
      const own = all.map(({ column }) => sample.columns[kept[Math.min(column, kept.length - 1)] ?? wide[0]])
      const wideCells = wide.map((c) => sample.columns[c])
      const { value } = long({ ...sample, columns: [...own, ...wideCells] }, all, own.length).next()
      return value ?? { ...sample, rowCount: 0 }
    },
  }
}

/** The column that a mode is made of, if it is not the melted one. */
function columnOf({ columns, name }: Table, text: string, melted: string): number[] {
  const found = findMode(text, [...columns, { name: melted }], name)
  if (!found)
    throw new InputError(
      'table',
      sentence`${name}: a mode of a wide table is a column or a binning of one, not ${text}; for SQL, write UNPIVOT in a ${option('query')}.`,
    )
  return found.column < columns.length ? [found.column] : []
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

function isMeant(name: string, patterns: string | undefined, named: boolean): boolean {
  if (patterns === undefined) return !named
  return patterns.split(',').some((pattern) => {
    const parts = pattern.trim().split('*').map(escaped)
    return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(name)
  })
}
