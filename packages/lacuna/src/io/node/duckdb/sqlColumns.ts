/** Chooses how columns are selected from DuckDB: as numbers or as text. */
import { type ColumnType, columnType } from '../../../labels/index.ts'
import type { TableColumn } from '../../table/index.ts'
import type { TableSession } from './session.ts'

/** A column of the source, or an expression that is read like one. */
export interface TypedSql {
  name: string
  /** SQL for its value in a row. */
  sql: string
  /** DuckDB's name of the type. */
  type: string
}

/** A column of a table, with the SQL that selects it. */
export interface SqlColumn extends TableColumn {
  /** The type; undefined for texts whose type is found when all of them have been read. */
  type?: ColumnType
  /** SQL for the column as a DOUBLE; undefined if a double would not distinguish its values. */
  number?: string
  /** SQL for the column as text. */
  text: string
}

/**
 * Returns the SQL that selects a column: as text and, where a double distinguishes its values, also as
 * numbers (dates as days, timestamps as microseconds since 1970, booleans as 0 and 1; infinite times are
 * NULL).
 * @param isLarge whether a BIGINT column has values beyond ±2⁵³, which makes it a HUGEINT
 */
export function selectColumn({ name, sql, type }: TypedSql, isLarge: boolean): SqlColumn {
  const known = columnType(type) ?? 'VARCHAR'
  const [, width] = /^DECIMAL\((\d+)/.exec(type) ?? []
  const text = `CAST(${sql} AS VARCHAR)`
  const column = (type: ColumnType, number?: string): SqlColumn => ({
    name,
    type,
    text,
    number,
  })
  if (Number(width) > 15) return column('VARCHAR')
  switch (known) {
    case 'BIGINT':
      return isLarge ? column('HUGEINT') : column('BIGINT', `CAST(${sql} AS DOUBLE)`)
    case 'DATE':
      return column('DATE', `CASE WHEN isfinite(${sql}) THEN CAST(${sql} - DATE '1970-01-01' AS DOUBLE) END`)
    case 'TIMESTAMP':
    case 'TIMESTAMPTZ':
      return column(
        known,
        `CASE WHEN isfinite(CAST(${sql} AS TIMESTAMP)) THEN CAST(epoch_us(CAST(${sql} AS TIMESTAMP)) AS DOUBLE) END`,
      )
    case 'DOUBLE':
      // The cast goes by way of the text, so that the float 0.1 becomes the double 0.1.
      return column('DOUBLE', type === 'FLOAT' ? `CAST(${text} AS DOUBLE)` : sql)
    case 'BOOLEAN':
      return column('BOOLEAN', `CAST(CAST(${sql} AS INTEGER) AS DOUBLE)`)
    case 'HUGEINT':
    case 'VARCHAR':
      return column(known)
    default:
      return column(known, `CAST(${sql} AS DOUBLE)`)
  }
}

/**
 * Returns the positions of the BIGINT columns with values that a double cannot hold: beyond ±2⁵³. Reads the
 * table once if it has any BIGINT.
 * @param from SQL to put after FROM
 */
export async function findLargeIntegers(
  session: TableSession,
  columns: readonly TypedSql[],
  from: string,
): Promise<Set<number>> {
  const bigints = columns.flatMap(({ type }, c) => (type === 'BIGINT' ? [c] : []))
  if (bigints.length === 0) return new Set()
  // The bounds of all columns take one pass over the table.
  const bounds = bigints.map((c) => `min(${columns[c].sql}), max(${columns[c].sql})`).join(', ')
  const [extremes] = await session.rows(`SELECT ${bounds} FROM ${from}`)
  const isLarge = (x: unknown): boolean => x !== null && Math.abs(Number(x)) > Number.MAX_SAFE_INTEGER
  return new Set(bigints.filter((_, b) => isLarge(extremes[2 * b]) || isLarge(extremes[2 * b + 1])))
}
