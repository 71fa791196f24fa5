/**
 * A table as a tensor. DuckDB computes the modes and codes text; whole numbers and dates are coded as they stream by.
 * Merging is ours, too: DuckDB's GROUP BY takes more memory, and gives another order of the entries every time.
 */
import { InputError, option, sentence } from '../../../inputError.ts'
import { findDuplicates } from '../../../tensor/findDuplicates.ts'
import { type SparseTensor, sparseTensor } from '../../../tensor/sparseTensor.ts'
import { codedRows, createLabels, pickedRows } from './coding.ts'
import { type Entries, readEntries } from './entries.ts'
import { names } from './modes.ts'
import { BeyondPrecision } from './numberCoder.ts'
import { textOfNumbers } from './numberTypes.ts'
import type { ReadTableOptions } from './options.ts'
import { type Plan, planTable } from './plan.ts'
import { openSession, type TableSession } from './session.ts'

/** Reads files of the same columns as one table, or a table of a database, or a query. */
export async function readTable(
  paths: string | readonly string[],
  options: ReadTableOptions = {},
): Promise<SparseTensor> {
  const files = typeof paths === 'string' ? [paths] : paths
  const where = nameOf(files, options)
  const session = await openSession(where)
  try {
    let plan = await planTable(session, files, where, options)
    for (;;) {
      try {
        return await readPlanned(session, plan, where, options)
      } catch (error) {
        if (!(error instanceof BeyondPrecision)) throw error
        plan = withText(plan, error.mode)
      }
    }
  } finally {
    session.close()
  }
}

function nameOf(files: readonly string[], { database, query }: ReadTableOptions): string {
  if (files.length > 1) return `${files[0]} and ${files.length - 1} more`
  if (database !== undefined) return files.length === 1 ? `${database}, ${files[0]}` : database
  return files[0] ?? (query === undefined ? 'The table' : 'The query')
}

/** The plan with a mode coded as text that was coded as whole numbers. */
function withText(plan: Plan, name: string): Plan {
  const modes = plan.modes.map((mode) => (mode.name === name ? { ...mode, coding: 'text' as const } : mode))
  return { ...plan, modes }
}

async function readPlanned(
  session: TableSession,
  plan: Plan,
  where: string,
  options: ReadTableOptions,
): Promise<SparseTensor> {
  const { modes, merge } = plan
  const rows = pickedRows(plan)
  const texts = await createLabels(session, plan, rows, options.like?.labels)
  const entries = await readRows(session, plan, rows, where, options)
  const { indices, values } = entries
  const labels = [...texts]
  for (const [m, numbers] of entries.distinct.entries())
    if (numbers) labels[m] = await textOfNumbers(session, modes[m].type, numbers)
  const dims = modes.map(
    (_, m) =>
      options.dims?.[m] ?? labels[m]?.length ?? Math.max(largest(indices[m]) + 1, options.like?.dims[m] ?? 0),
  )
  const at = (entry: number): string =>
    `${where}, at ${modes.map(({ name }, m) => `${name} = ${labels[m]?.[indices[m][entry]] ?? indices[m][entry] + 1}`).join(', ')}`
  if (merge === 'error') checkDistinct(indices, at)
  return sparseTensor(
    {
      ...{ dims, indices, values, modes: modes.map(({ name, type }) => ({ name, type })) },
      ...(labels.some((names) => names) && { labels }),
      ...(plan.value !== undefined && merge !== 'count' && { valueName: plan.value.name }),
    },
    {
      where: at,
      ...(merge === 'error' ? { distinct: true } : { duplicates: merge === 'count' ? 'sum' : merge }),
      ...(options.negative && { negative: options.negative }),
    },
  )
}

async function readRows(
  session: TableSession,
  plan: Plan,
  rows: string,
  where: string,
  { onRows = () => {}, onRemark = () => {} }: ReadTableOptions,
): Promise<Entries> {
  const valued = plan.value !== undefined && plan.merge !== 'count'
  const query = codedRows(plan, rows, valued)
  const entries = await readEntries(session, query, plan.modes, valued, onRows).catch(async (error) => {
    throw (valued && (await valueThatIsNoNumber(session, plan, where))) || error
  })
  const { missing, unknown, values } = entries
  if (missing > 0) onRemark(`${where}: ${leftOut(missing)} a mode or the value is empty`)
  if (unknown > 0) onRemark(`${where}: ${leftOut(unknown)} the training data lacks a label`)
  if (values.length === 0)
    throw new InputError(
      'empty',
      `${where}: no rows are left to make a tensor of; the columns are ${names(plan.columns)}.`,
    )
  return entries
}

const leftOut = (rows: number): string =>
  rows === 1 ? 'one row is left out, since' : `${rows} rows are left out, since`

/** The first value that is no number, and in which row. */
async function valueThatIsNoNumber(
  session: TableSession,
  { table, value }: Plan,
  where: string,
): Promise<InputError | undefined> {
  const [found] = await session
    .rows(
      `SELECT n, CAST(v AS VARCHAR) FROM
       (SELECT row_number() OVER () AS n, ${value?.expression} AS v FROM ${table})
       WHERE v IS NOT NULL AND TRY_CAST(v AS DOUBLE) IS NULL ORDER BY n LIMIT 1`,
    )
    .catch(() => []) // it is something else that is wrong, and that has been said
  if (found)
    return new InputError(
      'table',
      `${where}, row ${found[0]}: the value ${value?.name} is "${found[1]}", which is no number; mend it or leave it empty.`,
    )
}

function largest(column: Uint32Array): number {
  let most = 0
  for (let e = 0; e < column.length; e++) if (column[e] > most) most = column[e]
  return most
}

function checkDistinct(indices: readonly Uint32Array[], at: (entry: number) => string): void {
  const firstOf = findDuplicates(indices, indices[0].length)
  if (!firstOf) return
  const repeated = firstOf.reduce((sum, first) => sum + (first === 0 ? 0 : 1), 0)
  const first = firstOf.findIndex((first) => first !== 0)
  const rows = repeated === 1 ? 'one row repeats' : `${repeated} rows repeat`
  throw new InputError(
    'duplicate',
    sentence`${at(first)}: there are several values, and in all ${rows} the coordinates of an earlier one; say how to merge them with ${option('merge', 'sum', 'mean', 'last', 'count')}.`,
  )
}
