/** How columns are selected from DuckDB: as numbers or as text. */
import type { TableColumn } from '../../table/index.ts'
import { type ColumnType, columnType } from '../../text/index.ts'
import type { TableSession } from './session.ts'

/** A column, or what is computed like one. */
export interface TypedSql {
  name: string
  sql: string
  /** DuckDB's name of the type. */
  type: string
}

/** A column of a table, with the SQL that selects it. */
export interface SqlColumn extends TableColumn {
  type: ColumnType
  /** SQL for the column as a DOUBLE, if it is delivered as numbers. */
  number?: string
  /** SQL for the column as text. */
  text: string
}

/**
 * The SQL for a column: as numbers where a double distinguishes its values, else as text.
 * @param isLarge beyond 2⁵³
 */
export function selectColumn({ name, sql, type }: TypedSql, isLarge: boolean): SqlColumn {
  const own = columnType(type) ?? 'VARCHAR'
  const [, width] = /^DECIMAL\((\d+)/.exec(type) ?? []
  const text = `CAST(${sql} AS VARCHAR)`
  const column = (type: ColumnType, number?: string): SqlColumn => ({
    name,
    type,
    text,
    number,
  })
  if (Number(width) > 15) return column('VARCHAR')
  switch (own) {
    case 'BIGINT':
      return isLarge ? column('HUGEINT') : column('BIGINT', `CAST(${sql} AS DOUBLE)`)
    case 'DATE':
      return column('DATE', `CASE WHEN isfinite(${sql}) THEN CAST(${sql} - DATE '1970-01-01' AS DOUBLE) END`)
    case 'TIMESTAMP':
      return column(
        'TIMESTAMP',
        `CASE WHEN isfinite(CAST(${sql} AS TIMESTAMP)) THEN CAST(epoch_us(CAST(${sql} AS TIMESTAMP)) AS DOUBLE) END`,
      )
    case 'DOUBLE':
      // As a float is written, not as the double that it is.
      return column('DOUBLE', type === 'FLOAT' ? `CAST(${text} AS DOUBLE)` : sql)
    case 'BOOLEAN':
      return column('BOOLEAN', `CAST(CAST(${sql} AS INTEGER) AS DOUBLE)`)
    case 'HUGEINT':
    case 'VARCHAR':
      return column(own)
    default:
      return column(own, `CAST(${sql} AS DOUBLE)`)
  }
}

/** The columns, by number, that hold whole numbers which a double does not: beyond 2⁵³. */
export async function beyondDouble(
  session: TableSession,
  columns: readonly TypedSql[],
  from: string,
): Promise<Set<number>> {
  const wide = columns.flatMap(({ type }, c) => (type === 'BIGINT' ? [c] : []))
  if (wide.length === 0) return new Set()
  // One pass over the table for all of them.
  const bounds = wide.map((c) => `min(${columns[c].sql}), max(${columns[c].sql})`).join(', ')
  const [found] = await session.rows(`SELECT ${bounds} FROM ${from}`)
  const isBeyond = (x: unknown): boolean => x !== null && Math.abs(Number(x)) > Number.MAX_SAFE_INTEGER
  return new Set(wide.filter((_, w) => isBeyond(found[2 * w]) || isBeyond(found[2 * w + 1])))
}
