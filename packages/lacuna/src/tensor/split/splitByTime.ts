import { InputError } from '../../base/inputError.ts'
import { checkSeed, purpose, stream } from '../../base/random.ts'
import { type CoordinateOrder, coordinateOrder } from '../order/coordinateOrder.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import {
  isAmongFirst,
  partSizes,
  pickParts,
  type Split,
  type SplitFractions,
  TEST,
  TRAIN,
  VALIDATION,
} from './split.ts'

/** Options of `splitByTime`. */
export interface SplitByTimeOptions {
  /** The mode, from 0, whose indices are in order of time; the last one by default. */
  time?: number
  /** Decides which of several entries at one time are held out; 1 by default. */
  seed?: number
}

/** Holds out the latest entries: the last ones for test, those before them for validation. */
export function splitByTime(
  tensor: SparseTensor,
  shares: SplitFractions,
  { time = tensor.dims.length - 1, seed = 1 }: SplitByTimeOptions = {},
): Split {
  checkSeed(seed)
  checkMode(tensor, time)
  const times = tensor.indices[time]
  const order = coordinateOrder(tensor, stream(seed, purpose.split))
  const [, validation, test] = partSizes(times.length, shares)
  const isTest = isAmongLatest(times, test, order)
  const isHeldOut = isAmongLatest(times, validation + test, order)
  return pickParts(
    tensor,
    Uint8Array.from(times, (_, entry) => (isTest(entry) ? TEST : isHeldOut(entry) ? VALIDATION : TRAIN)),
  )
}

export function checkMode({ dims }: SparseTensor, mode: number): void {
  if (!Number.isInteger(mode) || mode < 0 || mode >= dims.length)
    throw new InputError(
      'option',
      `The tensor has ${dims.length} modes; there is none of number ${mode + 1}.`,
    )
}

/** Tells whether an entry is one of the `count` latest; of several at one time, those that come first in the order. */
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
