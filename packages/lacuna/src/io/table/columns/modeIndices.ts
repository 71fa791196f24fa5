/** How the numbers that were given to the values of a mode become indices, and the values labels, when all have been seen. */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { MAX_INDEX } from '../../../tensor/index.ts'
import { type ColumnType, canonical, isWhole, numberText } from '../../text/index.ts'
import { type Binning, binnings } from './bins.ts'
import { numbersInOrder } from './coding.ts'
import type { FoundMode, IndexPolicy } from './modes.ts'
import { TimeColumn } from './timeColumn.ts'

/** In place of an index: the label is not among those known. */
export const UNKNOWN = 2 ** 32 - 1

/** What is known of a mode when all of its values have been seen. */
export interface FinishedMode {
  type: ColumnType
  /** None where the values are indices themselves. */
  labels?: readonly string[]
  /** For each number given to a value, its index, or UNKNOWN. */
  places: Uint32Array
}

export interface KnownMode {
  labels: readonly string[] | undefined
  type: string | undefined
}

/** Numbers as they are: indices themselves, or in order. */
export function finishNumbers(
  mode: FoundMode,
  type: ColumnType,
  numbers: ArrayLike<number>,
  index: IndexPolicy,
  known: KnownMode | undefined,
): FinishedMode {
  if (isRaw(index, mode, type, known !== undefined)) return { type, places: asIndices(mode, numbers) }
  const { sorted, places } = numbersInOrder(numbers)
  const textOf = isWhole(type) ? String : (x: number): string => numberText(x, type)
  return { type, labels: sorted.map(textOf), places }
}

/** The texts among labels that are known, each written as the labels' type has it. */
export function lookedUp(
  texts: readonly string[],
  labels: readonly string[],
  type: string | undefined,
): FinishedMode {
  const known = (type ?? 'VARCHAR') as ColumnType
  const placeOf = new Map(labels.map((label, place) => [label, place]))
  const find = (text: string): number => placeOf.get(canonical(text, known) ?? text) ?? UNKNOWN
  return { type: known, labels, places: Uint32Array.from(texts, find) }
}

/** Bins among labels that are known: equal as numbers, however they are written. */
export function lookedUpBins(
  bins: readonly number[],
  binning: Binning,
  labels: readonly string[],
): FinishedMode {
  const placeOf = new Map(labels.map((label, place) => [binOfLabel(binning, label), place]))
  return { type: binning.type, labels, places: Uint32Array.from(bins, (bin) => placeOf.get(bin) ?? UNKNOWN) }
}

/** The bin that a label names. */
export function binOfLabel({ parse, type }: Binning, label: string): number {
  if (parse) return parse(label)
  if (type !== 'DATE') return Number(label)
  const column = new TimeColumn('', undefined, undefined)
  const bytes = new TextEncoder().encode(label)
  const [time] = column.times({ bytes, starts: Int32Array.of(0), ends: Int32Array.of(bytes.length) }, 1)
  return binnings.day.bin(time, 0)
}

/**
 * Whether a mode's values are its indices. Only whole numbers can be; where that was asked for this mode, it
 * must.
 */
export function isRaw(index: IndexPolicy, mode: FoundMode, type: ColumnType, always: boolean): boolean {
  if (always) return true
  if (index === 'raw' && isWhole(type)) return true
  if (mode.index === 'raw')
    throw new InputError(
      'table',
      `The mode ${mode.name} cannot be an index as it is: its type is ${type}, not a whole number; leave out raw:.`,
    )
  return false
}

export function asIndices({ name }: FoundMode, numbers: ArrayLike<number>): Uint32Array {
  return Uint32Array.from(numbers, (x) => {
    if (x >= 1 && x <= MAX_INDEX && Number.isInteger(x)) return x - 1
    const help =
      x === 0
        ? `write "${name} + 1"`
        : x <= MAX_INDEX
          ? sentence`code it by its distinct values (${option('index', 'coded')})`
          : sentence`the most is ${MAX_INDEX}, so code it by its distinct values (${option('index', 'coded')})`
    throw new InputError(
      'table',
      sentence`The mode ${name} has the value ${x}, but a raw index is a whole number from 1; ${help}.`,
    )
  })
}
