/** Parsers of option values: each returns a value, or throws one sentence about what is wrong. */
import { InvalidArgumentError } from 'commander'
import {
  type DuplicatePolicy,
  duplicatePolicies,
  hardwareThreads,
  LARGEST_RANK,
  MAX_ORDER,
  type NegativePolicy,
  negativePolicies,
} from 'lacuna/internal'

/** A whole number from 0. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a whole number from 0.')
  return value
}

/** A whole number from 1. */
export function positiveWholeNumber(text: string): number {
  if (!/^\d+$/.test(text) || wholeNumber(text) < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

/** A rank, from 1 to the largest that kernels exist for. */
export function rankNumber(text: string): number {
  const rank = positiveWholeNumber(text)
  if (rank > LARGEST_RANK) throw new InvalidArgumentError(`It must be at most ${LARGEST_RANK}.`)
  return rank
}

/** A rank, or `auto`. */
export const rankOrAuto = (text: string): number | 'auto' => (text === 'auto' ? text : rankNumber(text))

/** A finite number. */
export function decimalNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.')
  return value
}

/** A finite number from 0. */
export function decimalFromZero(text: string): number {
  const value = decimalNumber(text)
  if (value < 0) throw new InvalidArgumentError('It must be a number from 0.')
  return value
}

/** A number, or `auto` if the solver is to choose it. */
export function numberOrAuto(text: string): number | 'auto' {
  return text === 'auto' ? text : decimalNumber(text)
}

/** A ratio in decibels; `inf` means no noise. */
export function decibels(text: string): number {
  return /^\+?inf(inity)?$/i.test(text) ? Infinity : decimalNumber(text)
}

/** Sizes as in 183x24x1140x1717. */
export function sizes(text: string): number[] {
  const dims = text.split(/[x×,]/i).map(Number)
  if (dims.length < 2 || dims.some((dim) => !Number.isInteger(dim) || dim < 1))
    throw new InvalidArgumentError('It must be at least two whole numbers from 1, as in 183x24x1140x1717.')
  if (dims.length > MAX_ORDER) throw new InvalidArgumentError(`It must be at most ${MAX_ORDER} sizes.`)
  return dims
}

/** Whole numbers from 1, as in 1,2,4. */
/** A whole number from 0. */
export function wholeNumbers(text: string): number[] {
  return text.split(',').map(positiveWholeNumber)
}

/** Default numbers of threads of measurements: 1, 2, 4 … and all. */
export const threadCounts = (all: number): number[] => [
  ...[1, 2, 4, 8, 16, 32, 64, 128].filter((n) => n < all),
  all,
]

/** Numbers, as in 0.05,0.2. */
export function decimalNumbers(text: string): number[] {
  return text.split(',').map(decimalNumber)
}

/** A path, or a fraction of the entries as in 0.1. */
export function fileOrFraction(text: string): string | number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value)) return text
  if (!(value > 0 && value < 1))
    throw new InvalidArgumentError('A fraction must lie between 0 and 1; else name a file.')
  return value
}

/** A fraction of the entries, as in 0.1. */
export function fraction(text: string): number {
  const value = decimalNumber(text)
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('A fraction must lie between 0 and 1.')
  return value
}

/** Policy for negative values. */
export const negative = oneOf<NegativePolicy>(negativePolicies)
/** Policy for repeated coordinates. */
export const duplicates = oneOf<DuplicatePolicy>(duplicatePolicies)

function oneOf<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text)
    if (!found) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`)
    return found
  }
}

/** Arguments of Command.option for --threads. */
export const threadsOption = [
  '--threads <n>',
  'worker threads; they do not change the result',
  positiveWholeNumber,
  hardwareThreads(),
] as const
