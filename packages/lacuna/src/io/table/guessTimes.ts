/** Guesses how finely the times of a table are binned: as coarsely as its first rows stay distinct. */
import { binnings, type ColumnType, type timeBins } from '../../labels/index.ts'
import { findColumn, findMode } from './columns/modes.ts'
import { TimeColumn } from './columns/timeColumn.ts'
import { type Batch, type Cells, cellText, type Table } from './source/rows.ts'

/** The binnings that are tried, in this order, before the column itself. */
const COARSE_TO_FINE = ['week', 'day'] as const satisfies readonly (typeof timeBins)[number][]

/**
 * Replaces week(x) among guessed modes by day(x), or by x itself, where rows of the sample would have the same
 * coordinates by weeks and differ by these: daily data get days.
 * @param modes as `guessModes` returns them
 * @param dates formats that the user gave
 */
export function refineTimes(
  table: Table,
  sample: Batch,
  modes: readonly string[],
  dates: readonly string[] | undefined,
): string[] {
  const weekly = modes.map((text) => {
    const found = findMode(text, table.columns, table.name)
    return found?.binning === 'week' ? found.column : undefined
  })
  if (weekly.every((column) => column === undefined)) return [...modes]
  const keysByMode = modes.map((text, m) => {
    const column = weekly[m] ?? findColumn(table.columns, text)
    return column < 0 ? undefined : cellKeys(sample.columns[column], sample.rowCount)
  })
  // Rows that are repeated by mistake do not differ by any binning.
  const most = countDistinct(keysByMode, sample.rowCount)
  const isFineEnough = (keys: readonly (string[] | undefined)[]): boolean =>
    countDistinct(keys, sample.rowCount) === most
  const options = [...COARSE_TO_FINE.map((name) => ({ name })), { name: undefined }]
  for (const { name } of options) {
    const keys = keysByMode.map((own, m) => {
      const column = weekly[m]
      if (column === undefined || name === undefined) return own
      const { name: columnName, type } = table.columns[column]
      return binKeys(sample.columns[column], sample.rowCount, columnName, type, dates, name)
    })
    if (name === undefined || isFineEnough(keys))
      return modes.map((text, m) => {
        const column = weekly[m]
        if (column === undefined) return text
        const columnName = table.columns[column].name
        return name === undefined ? columnName : `${name}(${columnName})`
      })
  }
  return [...modes]
}

/** The cells of a column as keys; undefined where it was not read. */
function cellKeys(cells: Cells | undefined, rowCount: number): string[] | undefined {
  if (cells === undefined) return undefined
  return Array.from({ length: rowCount }, (_, row) =>
    cells instanceof Float64Array ? String(cells[row]) : (cellText(cells, row) ?? ''),
  )
}

/** The bins of the times of a column, as keys. */
function binKeys(
  cells: Cells | undefined,
  rowCount: number,
  column: string,
  type: ColumnType | undefined,
  dates: readonly string[] | undefined,
  binning: (typeof COARSE_TO_FINE)[number],
): string[] | undefined {
  if (cells === undefined) return undefined
  const times = new TimeColumn(column, type, dates).times(cells, rowCount)
  return Array.from(times.subarray(0, rowCount), (time) => String(binnings[binning].bin(time, 0)))
}

/** The number of rows that differ in the keys of some mode. */
function countDistinct(keys: readonly (string[] | undefined)[], rowCount: number): number {
  const seen = new Set<string>()
  for (let row = 0; row < rowCount; row++) seen.add(JSON.stringify(keys.map((own) => own?.[row])))
  return seen.size
}
