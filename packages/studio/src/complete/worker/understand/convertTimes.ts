/**
 * Columns of dates in a format of their own as times: a format is applied once to each cell, and its times are found
 * again when another choice reads the same rows.
 */
import { type Cells, cellText, isMissingMark, TimeColumn } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'

/** The times of columns of text that are kept in memory, with the formats by which they were read. */
const knownTimes = new WeakMap<Cells, { formats: string; times: Float64Array | undefined }>()

/**
 * The table with the columns of these positions as times. Rows with a cell that is no time stay text, and the
 * library reports them.
 */
export function convertTimes(table: Table, positions: readonly number[], dates: readonly string[]): Table {
  const readers = new Map(
    positions.map((c) => [c, new TimeColumn(table.columns[c].name, table.columns[c].type, dates)]),
  )
  const formats = JSON.stringify(dates)
  const convert = (cells: Cells, rowCount: number, reader: TimeColumn): Cells => {
    if (cells instanceof Float64Array) return cells
    const known = knownTimes.get(cells)
    if (known?.formats === formats) return known.times ?? cells
    const times = reader.times(cells, rowCount)
    const isWhole = times.every(
      (time, row) =>
        !Number.isNaN(time) ||
        cells.ends[row] <= cells.starts[row] ||
        isMissingMark(cellText(cells, row) ?? ''),
    )
    knownTimes.set(cells, { formats, times: isWhole ? times : undefined })
    return isWhole ? times : cells
  }
  return {
    ...table,
    columns: table.columns.map((column, c) => (readers.has(c) ? { ...column, type: 'TIMESTAMP' } : column)),
    async *read(wanted, options) {
      for await (const batch of table.read(wanted, options)) {
        const columns = wanted.map(({ column }, w) => {
          const reader = readers.get(column)
          return reader ? convert(batch.columns[w], batch.rowCount, reader) : batch.columns[w]
        })
        yield { ...batch, columns }
      }
    },
  }
}
