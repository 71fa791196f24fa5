/** Leave-one-out splits by time: the last entry of every row is held out. */
import { InputError } from '../../base/inputError.ts'
import { checkSeed, purpose, stream } from '../../base/random.ts'
import { coordinateOrder } from '../order/coordinateOrder.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import { pickSets, type Split, TEST, VALIDATION } from './split.ts'
import { checkMode, type SplitByTimeOptions } from './splitByTime.ts'

/** The modes of rows and time, the seed, and whether there are validation entries. */
export interface LeaveOneOutOptions extends SplitByTimeOptions {
  /** The mode, counted from 0, of whose rows each gives an entry; the first by default. */
  rows?: number
  /** Whether the last entry but one of each row is held out for validation; false by default. */
  validation?: boolean
}

/**
 * Holds out the last entry in time of every row for test, and on request the one before it for validation.
 * Every row keeps at least one training entry: a row with one entry gives none, a row with two gives none for
 * validation. Throws if all rows have a single entry.
 */
export function leaveOneOut(tensor: SparseTensor, options: LeaveOneOutOptions = {}): Split {
  const { rows: rowMode = 0, time = tensor.dims.length - 1, seed = 1, validation = false } = options
  checkSeed(seed)
  checkMode(tensor, rowMode)
  checkMode(tensor, time)
  const rows = tensor.indices[rowMode]
  const times = tensor.indices[time]
  const order = coordinateOrder(tensor, stream(seed, purpose.split))
  const isLater = (a: number, b: number) =>
    times[a] > times[b] || (times[a] === times[b] && order.isBefore(a, b))

  const dim = tensor.dims[rowMode]
  const entriesOf = new Uint32Array(dim)
  const last = new Uint32Array(dim).fill(NONE)
  const lastButOne = new Uint32Array(dim).fill(NONE)
  for (let e = 0; e < rows.length; e++) {
    const p = rows[e]
    entriesOf[p]++
    if (last[p] === NONE || isLater(e, last[p])) {
      lastButOne[p] = last[p]
      last[p] = e
    } else if (lastButOne[p] === NONE || isLater(e, lastButOne[p])) lastButOne[p] = e
  }
  const sets = new Uint8Array(rows.length)
  let heldOut = 0
  for (let p = 0; p < dim; p++) {
    if (entriesOf[p] < 2) continue
    sets[last[p]] = TEST
    heldOut++
    if (validation && entriesOf[p] > 2) sets[lastButOne[p]] = VALIDATION
  }
  if (heldOut === 0)
    throw new InputError(
      'option',
      `Every row of mode ${rowMode + 1} has a single entry, so none can be held out; split at random.`,
    )
  return pickSets(tensor, sets)
}

/** Stands for no entry. */
const NONE = 2 ** 32 - 1
