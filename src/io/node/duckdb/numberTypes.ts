/** Types of SQL whose values can be told apart as doubles, and come back from them: these need no look at the text. */
import { literal, type TableSession } from './session.ts'

interface NumberType {
  /** SQL: a value of the type as a DOUBLE, NULL for none. */
  toNumber(value: string): string
  /** SQL: the value of the type that the DOUBLE stands for. */
  fromNumber(x: string): string
}

/** How to write values of the type as numbers; undefined if that may lose something. */
export function numberType(type: string): NumberType | undefined {
  const [, width] = /^DECIMAL\((\d+)/.exec(type) ?? []
  if (isWhole(type) || type === 'BOOLEAN' || Number(width) <= 15)
    return { toNumber: (value) => `CAST(${value} AS DOUBLE)`, fromNumber: (x) => `CAST(${x} AS ${type})` }
  switch (type) {
    case 'FLOAT':
    case 'DOUBLE':
      return {
        toNumber: (value) => `CASE WHEN isfinite(${value}) THEN CAST(${value} AS DOUBLE) END`,
        fromNumber: (x) => `CAST(${x} AS ${type})`,
      }
    case 'DATE':
      return {
        toNumber: (value) => `CAST(${value} - DATE '1970-01-01' AS DOUBLE)`,
        fromNumber: (x) => `DATE '1970-01-01' + CAST(${x} AS INTEGER)`,
      }
    case 'TIMESTAMP':
      return {
        toNumber: (value) => `CAST(epoch_us(${value}) AS DOUBLE)`,
        fromNumber: (x) => `make_timestamp(CAST(${x} AS BIGINT))`,
      }
  }
}

export const isWhole = (type: string): boolean => /^U?(TINYINT|SMALLINT|INTEGER|BIGINT)$/.test(type)

/** The text of the values that the numbers stand for, as SQL writes it. */
export async function textOfNumbers(
  session: TableSession,
  type: string,
  numbers: readonly number[],
): Promise<string[]> {
  if (isWhole(type)) return numbers.map(String)
  const { fromNumber } = numberType(type) ?? { fromNumber: (x) => x }
  // As text in one literal: a list of a million numbers would be slow to parse.
  const list = `CAST(string_split(${literal(numbers.join(' '))}, ' ') AS DOUBLE[])`
  const rows = await session.rows(
    `SELECT CAST(${fromNumber('x')} AS VARCHAR) FROM (SELECT unnest(${list}) AS x)`,
  )
  return rows.map(([text]) => String(text))
}
