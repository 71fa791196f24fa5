/** The row groups of Parquet files, by which their rows are divided among processes. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { openSession } from './session.ts'
import { fileLiteral, parquetAsSql, type RowRange } from './sqlSource.ts'

/** Rows that DuckDB hands over together, counted from the beginning of a group. */
const VECTOR = 2048
/** Groups that are smaller than this fraction of a shard are not divided. */
const SMALL_GROUP = 1 / 4

/** A Parquet file and its row groups. */
export interface ParquetFile {
  file: string
  /** The number of rows of each group. */
  groups: readonly number[]
}

/** The groups of files that can be read in ranges; undefined if they cannot. */
export async function parquetGroups(files: readonly string[]): Promise<ParquetFile[] | undefined> {
  for (const file of files) if (!(await stat(file)).isFile()) return undefined
  const session = await openSession(files[0])
  try {
    await session.lock({ paths: files.map((file) => resolve(file)) })
    const columns = await session.columns(`SELECT * FROM ${parquetAsSql(files)}`)
    // A column of this name would hide the number by which rows are chosen.
    if (columns.some(({ name }) => name.toLowerCase() === 'file_row_number')) return undefined
    const found: ParquetFile[] = []
    for (const file of files) {
      // Together they have the columns of the first, whatever those of the others are.
      const own = await session.columns(`SELECT * FROM ${parquetAsSql([file])}`)
      if (JSON.stringify(own) !== JSON.stringify(columns)) return undefined
      const rows = await session.rows(
        `SELECT any_value(row_group_num_rows) FROM parquet_metadata(${fileLiteral(file)})
         GROUP BY row_group_id ORDER BY row_group_id`,
      )
      found.push({ file, groups: rows.map(([count]) => Number(count)) })
    }
    return found
  } finally {
    session.close()
  }
}

/** The number of rows of a file, by its metadata. */
export async function parquetRowCount(file: string): Promise<number> {
  const session = await openSession(file)
  try {
    await session.lock({ paths: [resolve(file)] })
    const [[rows]] = await session.rows(
      `SELECT sum(num_rows) FROM parquet_file_metadata(${fileLiteral(file)})`,
    )
    return Number(rows)
  } finally {
    session.close()
  }
}

/**
 * The rows of one shard. Borders lie between groups or, in large groups, between DuckDB's vectors of rows, so
 * that the batches are those of a process that reads all rows.
 * @param k the number of the shard @param shards how many there are @param threads DuckDB's threads
 */
export function rowRange(
  files: readonly ParquetFile[],
  k: number,
  shards: number,
  threads: number,
): RowRange {
  const total = files.flatMap(({ groups }) => groups).reduce((sum, rows) => sum + rows, 0)
  const border = (shard: number): number => {
    const wanted = Math.floor((total * shard) / shards)
    let start = 0
    for (const rows of files.flatMap(({ groups }) => groups)) {
      if (wanted < start + rows) {
        if (rows > (SMALL_GROUP * total) / shards)
          return start + VECTOR * Math.floor((wanted - start) / VECTOR)
        return 2 * (wanted - start) < rows ? start : start + rows
      }
      start += rows
    }
    return start
  }
  const [from, to] = [border(k), border(k + 1)]
  let before = 0
  const ranges = files.map(({ file, groups }) => {
    const rows = groups.reduce((sum, count) => sum + count, 0)
    const range = { file, from: Math.max(0, from - before), to: Math.min(rows, to - before) }
    before += rows
    return range
  })
  return { before: from, files: ranges.filter((range) => range.from < range.to), threads }
}
