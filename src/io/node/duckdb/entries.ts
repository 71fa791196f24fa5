/** A table's rows as columns of numbers: the one pass over the table that makes the entries. */
import { InputError, option, sentence } from '../../../inputError.ts'
import { float32Array, uint32Array } from '../../../tensor/arrays.ts'
import { MAX_INDEX } from '../../../tensor/sparseTensor.ts'
import type { TableMode } from './modes.ts'
import { NumberCoder } from './numberCoder.ts'
import type { TableSession } from './session.ts'

export interface Entries {
  indices: Uint32Array[]
  values: Float32Array
  /** Per mode that is coded here, its values in order. */
  distinct: (number[] | undefined)[]
  /** Rows left out because a mode or the value is empty. */
  missing: number
  /** Rows left out because a label is not among those given. */
  unknown: number
}

/** Entries are gathered in blocks, so that no array is ever copied to grow. */
const BLOCK = 2 ** 20
/**
 * Reads a query of one DOUBLE column per mode and, if `hasValue`, one for the value; without one each row is 1. In a
 * mode's column -∞ stands for an empty value and ∞ for a label that is not known (see coding.ts).
 * Rows come in the order of the file, so that the same file gives the same entries.
 */
export async function readEntries(
  session: TableSession,
  query: string,
  modes: readonly TableMode[],
  hasValue: boolean,
  onRows: (rows: number) => void,
): Promise<Entries> {
  const order = modes.length
  const coders = modes.map(({ coding, name }) => (coding === 'number' ? new NumberCoder(name) : undefined))
  const blocks: { indices: Uint32Array[]; values: Float32Array }[] = []
  const left = { missing: 0, unknown: 0 }
  let [entries, rows, room] = [0, 0, 0]
  for await (const chunk of session.stream(query)) {
    const columns = Array.from({ length: order + (hasValue ? 1 : 0) }, (_, c) =>
      doubles(chunk.getColumnVector(c)),
    )
    const kept = keptRows(columns.slice(0, order), chunk.rowCount, left)
    for (let from = 0; from < kept.length; ) {
      if (room === 0) {
        blocks.push({ indices: modes.map(() => new Uint32Array(BLOCK)), values: new Float32Array(BLOCK) })
        room = BLOCK
      }
      const { indices, values } = blocks[blocks.length - 1]
      const some = kept.subarray(from, from + room)
      modes.forEach((mode, m) => {
        fillIndices(indices[m], BLOCK - room, columns[m], some, mode, coders[m])
      })
      fillValues(values, BLOCK - room, hasValue ? columns[order] : undefined, some)
      room -= some.length
      from += some.length
      entries += some.length
    }
    rows += chunk.rowCount
    onRows(rows)
  }
  const sorted = coders.map((coder) => coder?.sorted())
  return {
    indices: modes.map((_, m) => {
      const places = sorted[m]?.places
      const column = uint32Array(entries)
      gather(column, (b) => blocks[b].indices[m])
      // The block's column is not needed any more: let it go before the next mode takes its memory.
      for (const block of blocks) block.indices[m] = new Uint32Array(0)
      if (places) for (let e = 0; e < entries; e++) column[e] = places[column[e]]
      return column
    }),
    values: gather(float32Array(entries), (b) => blocks[b].values),
    distinct: sorted.map((one) => one?.values),
    ...left,
  }
}

function doubles(vector: unknown): Float64Array {
  return (vector as { items: Float64Array }).items
}

/** The numbers of the rows that have all their modes; the others are counted. */
function keptRows(
  modes: readonly Float64Array[],
  rowCount: number,
  left: { missing: number; unknown: number },
): Uint32Array {
  const kept = new Uint32Array(rowCount)
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    let [missing, unknown] = [false, false]
    for (const column of modes) {
      if (column[row] === -Infinity) missing = true
      else if (column[row] === Infinity) unknown = true
    }
    if (missing) left.missing++
    else if (unknown) left.unknown++
    else kept[count++] = row
  }
  return kept.subarray(0, count)
}

function fillIndices(
  into: Uint32Array,
  at: number,
  column: Float64Array,
  rows: Uint32Array,
  mode: TableMode,
  coder: NumberCoder | undefined,
): void {
  if (coder) for (let i = 0; i < rows.length; i++) into[at + i] = coder.code(column[rows[i]])
  else if (mode.coding === 'raw')
    for (let i = 0; i < rows.length; i++) {
      const value = column[rows[i]]
      if (!(value >= 1 && value <= MAX_INDEX && Number.isInteger(value))) throw notAnIndex(mode, value)
      into[at + i] = value - 1
    }
  else for (let i = 0; i < rows.length; i++) into[at + i] = column[rows[i]]
}

function notAnIndex({ name }: TableMode, value: number): InputError {
  const help =
    value === 0
      ? `write "${name} + 1"`
      : value <= MAX_INDEX
        ? sentence`code it by its distinct values (${option('index', 'coded')})`
        : sentence`the most is ${MAX_INDEX}, so code it by its distinct values (${option('index', 'coded')})`
  return new InputError(
    'table',
    sentence`The mode ${name} has the value ${value}, but a raw index is a whole number from 1; ${help}.`,
  )
}

function fillValues(
  into: Float32Array,
  at: number,
  column: Float64Array | undefined,
  rows: Uint32Array,
): void {
  if (!column) {
    into.fill(1, at, at + rows.length)
    return
  }
  for (let i = 0; i < rows.length; i++) {
    const value = column[rows[i]]
    // Only what rounds to infinity: the text of the largest float32 is a little more than it.
    if (Math.abs(value) < Infinity && !(Math.abs(Math.fround(value)) < Infinity))
      throw new InputError('value', `The value ${value} is too large for a float32; scale the values down.`)
    into[at + i] = value
  }
}

/** The blocks' columns one after another; the last block may be longer than what is left. */
function gather<A extends Uint32Array | Float32Array>(into: A, block: (b: number) => A): A {
  for (let at = 0, b = 0; at < into.length; at += BLOCK, b++)
    into.set(block(b).subarray(0, Math.min(BLOCK, into.length - at)), at)
  return into
}
