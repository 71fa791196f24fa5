/** How the codes of a mode become indices, and its values labels, when all values are known. */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { MAX_INDEX } from '../../../tensor/index.ts'
import { type ColumnType, canonical, isWhole, numberText } from '../../text/index.ts'
import { type Binning, binnings } from './bins.ts'
import { sortNumbers } from './coding.ts'
import type { FoundMode, IndexPolicy } from './modes.ts'
import { TimeColumn } from './timeColumn.ts'

/** In place of an index: the label is not among the known ones. */
export const UNKNOWN = 2 ** 32 - 1

/** A mode whose values are all known. */
export interface FinishedMode {
  type: ColumnType
  /** Sorted; missing where the values are indices themselves. */
  labels?: readonly string[]
  /** The index for each code, or UNKNOWN. */
  indexOfCode: Uint32Array
}

/** The labels of a mode of a model or tensor that a table is to be like. */
export interface KnownMode {
  labels: readonly string[] | undefined
  type: string | undefined
}

/** Finishes a mode of numbers: they are indices themselves, or sorted labels. */
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

/** Looks texts up among known labels, each converted to the labels' type first. @param type of the labels */
export function findLabels(
  texts: readonly string[],
  labels: readonly string[],
  type: string | undefined,
): FinishedMode {
  const known = (type ?? 'VARCHAR') as ColumnType
  const indexOf = new Map(labels.map((label, index) => [label, index]))
  const find = (text: string): number => indexOf.get(canonical(text, known) ?? text) ?? UNKNOWN
  return { type: known, labels, indexOfCode: Uint32Array.from(texts, find) }
}

/** Looks bins up among known labels; bins and labels are compared as numbers. */
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
 * Whether a mode's values are its indices. Only whole numbers can be; an error if that was asked for this
 * mode and they are not.
 * @param always whether the mode of the known data has no labels, so that its values must be indices
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

/** Numbers from 1 as indices from 0; refuses those that cannot be indices. */
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
