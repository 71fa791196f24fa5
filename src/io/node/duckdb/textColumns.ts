/**
 * Which columns of a text are text although DuckDB would take them for numbers: those in which a number would lose
 * something, be it the zeros of 007 or, where only text is in quotes, anything at all.
 */
import { type Column, identifier, literal, type TableSession } from './session.ts'

export interface Dialect {
  /** Of DuckDB's read_csv. */
  options: string
  /** In the first line. */
  fields: number
  /** Which fields of the first row are in quotes, if some are and some are not; else none. */
  quoted: readonly boolean[]
}

/** As many as DuckDB looks at to guess the types. */
const SAMPLE_ROWS = 20480
const NUMBERS = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL.*|BOOLEAN|TIME)$/

/** More options of read_csv: the types of such columns, if there are any. */
export async function textTypes(session: TableSession, file: string, dialect: Dialect): Promise<string> {
  const { options, quoted } = dialect
  const columns = await session.columns(`SELECT * FROM read_csv(${file}, ${options})`)
  const suspects = columns.flatMap((column, c) =>
    NUMBERS.test(column.type) ? [{ ...column, test: isLost(column, c, quoted[c] ?? false) }] : [],
  )
  if (suspects.length === 0) return ''
  const texts = columns.map((_, c) => `t${c}`).join(', ')
  const sample = `SELECT * FROM read_csv(${file}, ${options}, all_varchar = true) AS s(${texts}) LIMIT ${SAMPLE_ROWS}`
  const [lost] = await session.rows(`SELECT ${suspects.map(({ test }) => test).join(', ')} FROM (${sample})`)
  const text = suspects.filter((_, s) => lost[s] === true)
  if (text.length === 0) return ''
  return `, types = {${text.map(({ name }) => `${literal(name)}: 'VARCHAR'`).join(', ')}}`
}

function isLost({ type }: Column, column: number, quoted: boolean): string {
  const text = identifier(`t${column}`)
  return quoted
    ? `bool_or(CAST(TRY_CAST(${text} AS ${type}) AS VARCHAR) IS DISTINCT FROM ${text})`
    : `bool_or(regexp_matches(${text}, '^[+-]?0[0-9]'))`
}

/** Which fields of a row, from 0, are in quotes; none if all are or none is, for then quotes tell nothing. */
export function quotedFields(start: string, delimiter: string, row: number): boolean[] {
  let at = 0
  for (let r = 0; r <= row && at < start.length; r++) {
    const quoted: boolean[] = []
    for (;;) {
      const field = /"(?:[^"]|"")*"/y
      field.lastIndex = at
      quoted.push(field.test(start))
      if (quoted[quoted.length - 1]) at = field.lastIndex
      else while (at < start.length && !start.startsWith(delimiter, at) && !/[\r\n]/.test(start[at])) at++
      if (!start.startsWith(delimiter, at)) break
      at += delimiter.length
    }
    while (at < start.length && /[\r\n]/.test(start[at])) at++
    if (r === row && quoted.includes(true) && quoted.includes(false)) return quoted
  }
  return []
}
