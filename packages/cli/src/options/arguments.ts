/** Parsers of option values for commander: each returns a value, or throws an InvalidArgumentError. */
import { InvalidArgumentError } from 'commander'
import {
  hardwareThreads,
  LARGEST_RANK,
  MAX_ORDER,
  type NegativePolicy,
  negativePolicies,
} from 'lacuna/internal'

/** Parses a whole number from 0. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('It must be a whole number from 0.')
  return value
}

/** Parses a whole number from 1. */
export function positiveWholeNumber(text: string): number {
  if (!/^\d+$/.test(text) || wholeNumber(text) < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}

/** Parses a rank, from 1 to the largest that kernels exist for. */
export function rankNumber(text: string): number {
  const rank = positiveWholeNumber(text)
  if (rank > LARGEST_RANK) throw new InvalidArgumentError(`It must be at most ${LARGEST_RANK}.`)
  return rank
}

/** Parses a rank, or `auto`. */
export const rankOrAuto = (text: string): number | 'auto' => (text === 'auto' ? text : rankNumber(text))

/** Parses a finite number. */
export function decimalNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number.')
  return value
}

/** Parses a finite number that is not negative. */
export function decimalFromZero(text: string): number {
  const value = decimalNumber(text)
  if (value < 0) throw new InvalidArgumentError('It must be a number from 0.')
  return value
}

/** Parses a finite number, or `auto` if the solver is to choose it. */
export function numberOrAuto(text: string): number | 'auto' {
  return text === 'auto' ? text : decimalNumber(text)
}

/** Parses a signal-to-noise ratio in decibels; `inf` means no noise. */
export function decibels(text: string): number {
  return /^\+?inf(inity)?$/i.test(text) ? Infinity : decimalNumber(text)
}

/** Parses the sizes of two or more modes, as in 183x24x1140x1717. */
export function sizes(text: string): number[] {
  const dims = text.split(/[x×,]/i).map(Number)
  if (dims.length < 2 || dims.some((dim) => !Number.isInteger(dim) || dim < 1))
    throw new InvalidArgumentError('It must be at least two whole numbers from 1, as in 183x24x1140x1717.')
  if (dims.length > MAX_ORDER) throw new InvalidArgumentError(`It must be at most ${MAX_ORDER} sizes.`)
  return dims
}

/** Parses whole numbers from 1, as in 1,2,4. */
export function wholeNumbers(text: string): number[] {
  return text.split(',').map(positiveWholeNumber)
}

/** Numbers of threads to measure with by default: powers of two up to 128 below `most`, and `most`. */
export const threadCounts = (most: number): number[] => [
  ...[1, 2, 4, 8, 16, 32, 64, 128].filter((n) => n < most),
  most,
]

/** Parses finite numbers, as in 0.05,0.2. */
export function decimalNumbers(text: string): number[] {
  return text.split(',').map(decimalNumber)
}

/**
 * Parses a path, or a fraction of the entries between 0 and 1, as in 0.1; any number counts as a fraction.
 */
export function fileOrFraction(text: string): string | number {
  const value = Number(text)
  if (text.trim() === '' || Number.isNaN(value)) return text
  if (!(value > 0 && value < 1))
    throw new InvalidArgumentError('A fraction must lie between 0 and 1; else name a file.')
  return value
}

/** Parses a fraction of the entries, above 0 and below 1, as in 0.1. */
export function fraction(text: string): number {
  const value = decimalNumber(text)
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('A fraction must lie between 0 and 1.')
  return value
}

/** Parses the probability of an interval, above 0 and below 1; names the fraction where percent were meant. */
export function probability(text: string): number {
  const value = decimalNumber(text.trim().replace(/%$/, ''))
  if (value > 0 && value < 1 && !text.includes('%')) return value
  const meant = value > 1 && value < 100 ? ` Write ${value / 100} for ${value}%.` : ''
  throw new InvalidArgumentError(`It must lie between 0 and 1, as 0.9 does.${meant}`)
}

/** Parses the policy for negative values. */
export const negative = oneOf<NegativePolicy>(negativePolicies)

/** Makes a parser that accepts these words alone. */
export function oneOf<T extends string>(choices: readonly T[]): (text: string) => T {
  return (text) => {
    const found = choices.find((choice) => choice === text)
    if (!found) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`)
    return found
  }
}

/** Arguments of `Command.option` for --threads; all cores by default. */
export const threadsOption = [
  '--threads <n>',
  'worker threads; they do not change the result',
  positiveWholeNumber,
  hardwareThreads(),
] as const
