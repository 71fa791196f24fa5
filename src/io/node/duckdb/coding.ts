/** SQL that turns the modes of each row into numbers. */
import type { SparseTensor } from '../../../tensor/sparseTensor.ts'
import type { TableMode } from './modes.ts'
import { numberType } from './numberTypes.ts'
import type { Plan } from './plan.ts'
import { literal, type TableSession } from './session.ts'

/** In a mode's column of numbers, for an empty value and for a label that is not known; no index is infinite. */
const MISSING = `CAST('-infinity' AS DOUBLE)`
const UNKNOWN = `CAST('infinity' AS DOUBLE)`

/** The modes and the value of each row, as m1 … mN and v. */
export function pickedRows({ table, modes, value }: Plan): string {
  const picks = modes.map((mode, m) => `${picked(mode)} AS m${m + 1}`)
  if (value) picks.push(`${value.expression} AS v`)
  return `(SELECT ${picks.join(', ')} FROM ${table})`
}

function picked({ expression, type, coding }: TableMode): string {
  const value = coding === 'known' ? `TRY_CAST(${expression} AS ${type})` : expression
  // Rounding gives -0.0 too, which is equal to 0.0, but not as text.
  return type === 'FLOAT' || type === 'DOUBLE' ? `(${value} + 0)` : value
}

/**
 * Makes an enumeration for each mode that DuckDB codes, lacuna_1 …, and returns its labels: those known, or the
 * distinct values in their order.
 */
export async function createLabels(
  session: TableSession,
  { modes, value }: Plan,
  rows: string,
  known: SparseTensor['labels'],
): Promise<(readonly string[] | undefined)[]> {
  const texts = modes.flatMap(({ coding }, m) => (coding === 'text' ? [m + 1] : []))
  if (texts.length > 0) {
    // One pass over the table finds the labels of all these modes.
    const present = [...modes.map((_, m) => `m${m + 1}`), ...(value ? ['v'] : [])]
    await session.run(
      `CREATE OR REPLACE TEMP TABLE lacuna_labels AS
       SELECT ${texts.map((m) => `t${m}, min(m${m}) AS m${m}`).join(', ')}
       FROM (SELECT ${texts.map((m) => `m${m}, CAST(m${m} AS VARCHAR) AS t${m}`).join(', ')} FROM ${rows}
             WHERE ${present.map((column) => `${column} IS NOT NULL`).join(' AND ')})
       GROUP BY GROUPING SETS (${texts.map((m) => `(t${m})`).join(', ')})`,
    )
  }
  const labels: (readonly string[] | undefined)[] = modes.map(() => undefined)
  for (const [m, { coding }] of modes.entries()) {
    const type = `lacuna_${m + 1}`
    await session.run(`DROP TYPE IF EXISTS ${type}`) // of an attempt before
    if (coding === 'known') {
      labels[m] = known?.[m] ?? []
      await session.run(`CREATE TEMP TYPE ${type} AS ENUM (${labels[m].map(literal).join(', ')})`)
    }
    if (coding === 'text') {
      const [text, value] = [`t${m + 1}`, `m${m + 1}`]
      await session.run(
        `CREATE TEMP TYPE ${type} AS ENUM
         (SELECT ${text} FROM lacuna_labels WHERE ${text} IS NOT NULL ORDER BY ${value}, ${text})`,
      )
      const found = await session.rows(`SELECT unnest(enum_range(CAST(NULL AS ${type})))`)
      labels[m] = found.map(([label]) => String(label))
    }
  }
  return labels
}

/** One column of DOUBLE per mode, and the value if it is wanted. */
export function codedRows({ modes, value }: Plan, rows: string, wantsValue: boolean): string {
  const codes = modes.map((mode, m) => code(mode, m + 1))
  // Every row in which something is missing is so marked in its first mode.
  if (value) codes[0] = `CASE WHEN v IS NULL THEN ${MISSING} ELSE ${codes[0]} END`
  return `SELECT ${[...codes, ...(wantsValue ? ['CAST(v AS DOUBLE)'] : [])].join(', ')} FROM ${rows}`
}

function code({ coding, type }: TableMode, m: number): string {
  if (coding === 'raw') return `coalesce(CAST(m${m} AS DOUBLE), ${MISSING})`
  if (coding === 'number') return `coalesce(${numberType(type)?.toNumber(`m${m}`)}, ${MISSING})`
  const place = `enum_code(TRY_CAST(CAST(m${m} AS VARCHAR) AS lacuna_${m}))`
  return `CASE WHEN m${m} IS NULL THEN ${MISSING} ELSE coalesce(CAST(${place} AS DOUBLE), ${UNKNOWN}) END`
}
