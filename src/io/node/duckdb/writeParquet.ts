import type { SparseTensor } from '../../../tensor/sparseTensor.ts'
import { checkLabels, columnNames } from '../../table/columns.ts'
import { replaceFile } from '../files/writeFileWhole.ts'
import { type Column, identifier, literal, openSession, type TableSession } from './session.ts'

/** DuckDB's vectors hold this many values. */
const BATCH = 2048

/**
 * The tensor as a Parquet file: a row per entry, labels in columns of the modes' types, the value as FLOAT. A mode
 * without labels is a column of indices from 1.
 */
export async function writeParquet(path: string, tensor: SparseTensor): Promise<void> {
  checkLabels(tensor)
  const { dims, labels, modes } = tensor
  const session = await openSession(path)
  try {
    const columns = dims.map((_, mode) => ({
      name: `m${mode}`,
      type: labels?.[mode] ? 'VARCHAR' : 'UINTEGER',
    }))
    await session.fill('entries', [...columns, { name: 'v', type: 'FLOAT' }], batches(tensor))
    const names = columnNames(tensor)
    const selected = ['v']
    for (const [mode, column] of [...columns.entries()].reverse())
      selected.unshift(await typed(session, column, labels?.[mode] && modes?.[mode].type))
    const query = selected.map((sql, column) => `${sql} AS ${identifier(names[column])}`).join(', ')
    await replaceFile(path, (_, temporary) =>
      session.run(`COPY (SELECT ${query} FROM entries) TO ${literal(temporary)} (FORMAT parquet)`),
    )
  } finally {
    session.close()
  }
}

function* batches({ indices, values, labels }: SparseTensor): Generator<(string | number)[][]> {
  for (let start = 0; start < values.length; start += BATCH) {
    const end = Math.min(values.length, start + BATCH)
    const columns = indices.map((column, mode) => {
      const names = labels?.[mode]
      return Array.from(column.subarray(start, end), (index) => names?.[index] ?? index + 1)
    })
    yield [...columns, Array.from(values.subarray(start, end))]
  }
}

/** The labels in the type that they are the text of, if every one survives that. */
async function typed(session: TableSession, { name }: Column, type: string | undefined): Promise<string> {
  if (!type || type === 'VARCHAR') return name
  const cast = `TRY_CAST(${name} AS ${type})`
  const [[same]] = await session.rows(
    `SELECT bool_and(coalesce(CAST(${cast} AS VARCHAR) = ${name}, false)) FROM entries`,
  )
  return same === true ? cast : name
}
