/** Reads the row groups of Parquet files and divides their rows among processes. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileLiteral, openSession } from './session.ts'
import { parquetAsSql, type RowRange } from './sqlSource.ts'

/** The rows of one of DuckDB's vectors; a row group is read vector by vector from its beginning. */
const VECTOR = 2048
/** Row groups that are smaller than this fraction of a shard are not divided. */
const SMALL_GROUP = 1 / 4

/** A Parquet file and its row groups. */
export interface ParquetFile {
  /** The path. */
  file: string
  /** The number of rows of each group. */
  groups: readonly number[]
}

/**
 * Reads the row groups of Parquet files. Returns undefined if they cannot be read in ranges of rows: one is a
 * pipe, their columns differ, or a column is called file_row_number.
 */
export async function parquetGroups(files: readonly string[]): Promise<ParquetFile[] | undefined> {
  for (const file of files) if (!(await stat(file)).isFile()) return undefined
  const session = await openSession(files[0])
  try {
    await session.lock({ paths: files.map((file) => resolve(file)) })
    const columns = await session.columns(`SELECT * FROM ${parquetAsSql(files)}`)
    // A column of this name would hide the number by which rows are chosen.
    if (columns.some(({ name }) => name.toLowerCase() === 'file_row_number')) return undefined
    const parquetFiles: ParquetFile[] = []
    for (const file of files) {
      // read_parquet of several files has the columns of the first, whatever those of the others are.
      const fileColumns = await session.columns(`SELECT * FROM ${parquetAsSql([file])}`)
      if (JSON.stringify(fileColumns) !== JSON.stringify(columns)) return undefined
      const rows = await session.rows(
        `SELECT any_value(row_group_num_rows) FROM parquet_metadata(${fileLiteral(file)})
         GROUP BY row_group_id ORDER BY row_group_id`,
      )
      parquetFiles.push({ file, groups: rows.map(([count]) => Number(count)) })
    }
    return parquetFiles
  } finally {
    session.close()
  }
}

/** Returns the number of rows of a Parquet file, from its metadata. */
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
 * Returns the rows of one shard. Borders lie between groups or, in large groups, between DuckDB's vectors of
 * rows, so that the batches are those of a process that reads all rows.
 * @param shard the number of the shard, from 0 @param shards the number of shards @param threads DuckDB's
 * threads
 */
export function rowRange(
  files: readonly ParquetFile[],
  shard: number,
  shards: number,
  threads: number,
): RowRange {
  const total = files.flatMap(({ groups }) => groups).reduce((sum, rows) => sum + rows, 0)
  /** The first row of shard s, counted over all files. */
  const border = (s: number): number => {
    const wanted = Math.floor((total * s) / shards)
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
  const [from, to] = [border(shard), border(shard + 1)]
  let rowsBefore = 0 // those of the preceding files
  const ranges = files.map(({ file, groups }) => {
    const rows = groups.reduce((sum, count) => sum + count, 0)
    const range = { file, from: Math.max(0, from - rowsBefore), to: Math.min(rows, to - rowsBefore) }
    rowsBefore += rows
    return range
  })
  return { before: from, files: ranges.filter((range) => range.from < range.to), threads }
}
