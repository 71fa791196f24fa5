/** Arrow IPC streams of `predict`: the columns of the request are modes, those of the answer have predictions beside them. */
import {
  Column,
  columnFromArray,
  type DataType,
  float32,
  type Table,
  tableFromColumns,
  tableFromIPC,
  tableToIPC,
} from '@uwdata/flechette'
import { InputError } from 'lacuna'
import { checkArrow, modeName, reasonOf } from 'lacuna/internal'
import type { ServedModel } from '../columns.ts'
import { checkRows, operations, parseJson } from '../operations.ts'
import { check, predictRequest } from '../schemas/index.ts'
import type { ArrowUse } from '../threads/protocol.ts'

/** Most columns of a request, nested ones included. */
const MOST_COLUMNS = 10_000
/** Numbers of Arrow's types of times. */
const [DATE, TIMESTAMP] = [8, 10]

/** Answers `predict` as bytes of Arrow, or as text of JSON. Throws an InputError on a request that is wrong. */
export function answerArrow(
  model: ServedModel,
  body: Uint8Array,
  { isRequest, isAnswer, options }: ArrowUse,
  mostRows: number,
): Uint8Array | string {
  const table = isRequest ? readTable(body, mostRows) : undefined
  const request = table
    ? { ...options, cells: labelsOf(model, table) }
    : { ...options, ...(parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body)) as object) }
  check(request, predictRequest)
  checkRows(request, mostRows)
  const answer = operations.predict.run(model, request as never) as Record<string, (number | null)[]>
  if (!isAnswer) return JSON.stringify(answer)
  const { predictions: prediction, ...ends } = answer
  return writeTable(table, { prediction, ...ends })
}

/** Decodes a stream; throws if it is none, is damaged, or has too many rows. */
function readTable(bytes: Uint8Array, mostRows: number): Table {
  const table = orRefuse(() => {
    checkArrow(bytes, { maxRows: Math.max(mostRows, bytes.length), maxFields: MOST_COLUMNS })
    return tableFromIPC(bytes, { useBigInt: true })
  })
  if (table.numCols === 0)
    throw new InputError('format', 'The Arrow stream has no columns; give one per mode.')
  if (table.numRows > mostRows)
    throw new InputError(
      'memory',
      `The Arrow stream has ${table.numRows} rows, more than the ${mostRows} that this server allows; send several requests.`,
    )
  if (table.children.some(({ length }) => length !== table.numRows))
    throw new InputError('format', 'The columns of the Arrow stream differ in length; send it again.')
  return table
}

/** The columns of a table that modes are made of, as labels by name: texts, numbers and booleans. */
function labelsOf(model: ServedModel, table: Table): Record<string, unknown[]> {
  const used = new Set(
    model.dims.flatMap((_, mode) => [modeName(model, mode), model.modes?.[mode].from?.column ?? '']),
  )
  const columns = table.names.flatMap((name, at): [string, Column<unknown>][] =>
    used.has(String(name)) ? [[String(name), table.children[at]]] : [],
  )
  return Object.fromEntries(columns.map(([name, column]) => [name, orRefuse(() => readLabels(column))]))
}

/** The labels of a column; throws if its texts overlap: a small stream could have very long ones. */
function readLabels(column: Column<unknown>): unknown[] {
  for (const batch of column.data) {
    const { offsets, values } = batch as { offsets?: ArrayLike<number | bigint>; values?: ArrayLike<unknown> }
    if (!offsets || !values) continue
    for (let row = 0; row < batch.length; row++)
      if (!(Number(offsets[row]) >= 0 && offsets[row] <= offsets[row + 1]))
        throw new RangeError('texts overlap')
  }
  return Array.from(column.toArray() as ArrayLike<unknown>, labelOf(column.type))
}

/** Makes the function that turns values of a type into labels: times become texts of ISO 8601. */
function labelOf({ typeId }: DataType): (value: unknown) => unknown {
  if (typeId === DATE || typeId === TIMESTAMP)
    return (value) => {
      if (value === null || value === undefined) return null
      const text = new Date(Number(value)).toISOString()
      return typeId === DATE || text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, -1)
    }
  return (value) => (typeof value === 'bigint' ? String(value) : value)
}

/** Encodes the columns of a request, if any, with columns of numbers beside them, as a stream. */
function writeTable(
  table: Table | undefined,
  numbers: Readonly<Record<string, readonly (number | null)[]>>,
): Uint8Array {
  const lengths = table?.children[0].data.map(({ length }) => length)
  const columns = new Map<string, Column<unknown>>(
    table?.names.map((name, at) => [String(name), table.children[at]]),
  )
  for (const [name, values] of Object.entries(numbers)) {
    let free = name
    for (let number = 1; columns.has(free); number++) free = `${name}_${number}`
    columns.set(free, columnInBatches(values, lengths ?? [values.length]))
  }
  return orRefuse(() => tableToIPC(tableFromColumns([...columns]), { format: 'stream' })!)
}

/** A column of float32 whose batches have the given lengths, as the other columns of its table have. */
function columnInBatches(values: readonly (number | null)[], lengths: readonly number[]): Column<unknown> {
  let from = 0
  const batches = lengths.flatMap((length) => {
    const part = values.slice(from, from + length)
    from += length
    return columnFromArray(part, float32()).data
  })
  return new Column(batches)
}

/** Runs work on a stream; throws an InputError if it is damaged. */
function orRefuse<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new InputError(
      'format',
      `The body is no whole Arrow stream that can be read${reasonOf(error)}; send it again, without compression of its buffers.`,
      { cause: error },
    )
  }
}
