/** Splits by time: the latest entries are held out. */
import { InputError } from '../../base/inputError.ts'
import { checkSeed, purpose, stream } from '../../base/random.ts'
import { type CoordinateOrder, coordinateOrder } from '../order/coordinateOrder.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import {
  isAmongFirst,
  pickSets,
  type Split,
  type SplitFractions,
  splitSizes,
  TEST,
  TRAIN,
  VALIDATION,
} from './split.ts'

/** The mode that is time, and the seed. */
export interface SplitByTimeOptions {
  /** The mode, counted from 0, whose indices are in order of time; the last one by default. */
  time?: number
  /** Decides which of several entries at one time are held out; 1 by default. */
  seed?: number
}

/**
 * Holds out the latest entries: the last ones for test, those before them for validation. Entries of the same
 * time are chosen at random by the seed.
 */
export function splitByTime(
  tensor: SparseTensor,
  fractions: SplitFractions,
  { time = tensor.dims.length - 1, seed = 1 }: SplitByTimeOptions = {},
): Split {
  checkSeed(seed)
  checkMode(tensor, time)
  const times = tensor.indices[time]
  const order = coordinateOrder(tensor, stream(seed, purpose.split))
  const [, validation, test] = splitSizes(times.length, fractions)
  const isTest = isAmongLatest(times, test, order)
  const isHeldOut = isAmongLatest(times, validation + test, order)
  return pickSets(
    tensor,
    Uint8Array.from(times, (_, entry) => (isTest(entry) ? TEST : isHeldOut(entry) ? VALIDATION : TRAIN)),
  )
}

/** Refuses a mode that the tensor does not have. @param mode counted from 0 */
export function checkMode({ dims }: SparseTensor, mode: number): void {
  if (!Number.isInteger(mode) || mode < 0 || mode >= dims.length)
    throw new InputError(
      'option',
      `The tensor has ${dims.length} modes; there is none of number ${mode + 1}.`,
    )
}

/**
 * Returns a predicate: whether an entry is among the `count` latest. Of entries at the earliest of these
 * times, those that come first in the order are taken.
 * @param times the time of each entry
 */
function isAmongLatest(
  times: Uint32Array,
  count: number,
  order: CoordinateOrder,
): (entry: number) => boolean {
  if (count === 0) return () => false
  const border = times.slice().sort()[times.length - count]
  let after = 0
  for (let e = 0; e < times.length; e++) if (times[e] > border) after++
  const isFirst = isAmongFirst(order, count - after, (entry) => times[entry] === border)
  return (entry) => times[entry] > border || (times[entry] === border && isFirst(entry))
}
