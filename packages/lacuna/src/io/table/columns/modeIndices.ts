/** How the codes of a mode become indices, and its values labels, when all values are known. */

import { InputError, option, sentence } from '../../../base/inputError.ts'
import {
  type Binning,
  binnings,
  type ColumnType,
  isWhole,
  labelFinder,
  numberText,
} from '../../../labels/index.ts'
import { MAX_INDEX } from '../../../tensor/index.ts'
import { sortNumbers } from './coding.ts'
import type { FoundMode, IndexPolicy } from './modes.ts'
import { TimeColumn } from './timeColumn.ts'

/** The index of a label that the model or tensor does not have. */
export const UNKNOWN = 2 ** 32 - 1

/** A mode whose values are all known. */
export interface FinishedMode {
  type: ColumnType
  /** The labels by index; missing where the values are indices themselves. */
  labels?: readonly string[]
  /** The index for each code, or UNKNOWN. */
  indexOfCode: Uint32Array
  /** A mark for a missing value among the values, if they are numbers or times otherwise: its code is UNKNOWN. */
  mark?: string
}

/** A mode of a model or tensor that a table is to be like. */
export interface KnownMode {
  /** Undefined if the mode has indices alone. */
  labels: readonly string[] | undefined
  /** The type of the labels. */
  type: string | undefined
}

/**
 * Finishes a mode of numbers: they are indices themselves, or become sorted labels.
 * @param numbers distinct, by code
 * @param known a mode without labels, whose values are indices
 */
export function finishNumbers(
  mode: FoundMode,
  type: ColumnType,
  numbers: ArrayLike<number>,
  index: IndexPolicy,
  known: KnownMode | undefined,
): FinishedMode {
  if (isRaw(index, mode, type, known !== undefined)) return { type, indexOfCode: toIndices(mode, numbers) }
  const { sorted, indexOfCode } = sortNumbers(numbers)
  const textOf = isWhole(type) ? String : (x: number): string => numberText(x, type)
  return { type, labels: sorted.map(textOf), indexOfCode }
}

/**
 * Finishes a mode by labels that are known: texts are converted to the labels' type and looked up.
 * @param texts distinct, by code
 * @param type of the labels; VARCHAR by default
 */
export function findLabels(
  texts: readonly string[],
  labels: readonly string[],
  type: string | undefined,
): FinishedMode {
  const known = (type ?? 'VARCHAR') as ColumnType
  const find = labelFinder(labels, known)
  return { type: known, labels, indexOfCode: Uint32Array.from(texts, (text) => find(text) ?? UNKNOWN) }
}

/**
 * Finishes a binned mode by labels that are known; bins and labels are compared as numbers.
 * @param bins distinct, by code
 */
export function findBins(bins: readonly number[], binning: Binning, labels: readonly string[]): FinishedMode {
  const indexOf = new Map(labels.map((label, index) => [binOfLabel(binning, label), index]))
  return {
    type: binning.type,
    labels,
    indexOfCode: Uint32Array.from(bins, (bin) => indexOf.get(bin) ?? UNKNOWN),
  }
}

/** The number of the bin that a label names; NaN if it names none. */
export function binOfLabel({ parse, type }: Binning, label: string): number {
  if (parse) return parse(label)
  if (type !== 'DATE') return Number(label)
  const column = new TimeColumn('', undefined, undefined)
  const bytes = new TextEncoder().encode(label)
  const [time] = column.times({ bytes, starts: Int32Array.of(0), ends: Int32Array.of(bytes.length) }, 1)
  return binnings.day.bin(time, 0)
}

/**
 * Whether a mode's values are its indices. Only whole numbers can be; throws if raw: was written for this
 * mode and they are not.
 * @param mustBe whether the mode of the known data has no labels, so that the values must be indices
 */
export function isRaw(index: IndexPolicy, mode: FoundMode, type: ColumnType, mustBe: boolean): boolean {
  if (mustBe) return true
  if (index === 'raw' && isWhole(type)) return true
  if (mode.index === 'raw')
    throw new InputError(
      'table',
      `The mode ${mode.name} cannot be an index as it is: its type is ${type}, not a whole number; leave out raw:.`,
    )
  return false
}

/** Numbers from 1 as indices from 0; throws if one is no whole number from 1 to MAX_INDEX. */
export function toIndices({ name }: FoundMode, numbers: ArrayLike<number>): Uint32Array {
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
