/** The settings that `bench best` compares, as arguments of `lacuna complete`. */
import type { MaskedSet } from './maskedSets.ts'

/** Returns the arguments of a method for a set, or undefined where the method does not apply to it. */
type Method = (set: MaskedSet, seconds: number) => string[] | undefined

/** The rank at which single ingredients are compared. */
const rank = ['--rank', '20']

/** The lags of a set as an option; of the merged axis if it has two modes. */
const lags = ({ time }: MaskedSet): string[] | undefined =>
  time && ['--lags', `${time.modes.join('+')}=${time.lags.join(',')}`, '--no-choose']

/** Time as one mode, where it has two, with lags. */
function series(set: MaskedSet): string[] | undefined {
  if (set.time?.modes.length !== 2) return undefined
  return ['--merge-modes', set.time.modes.join(','), ...lags(set)!]
}

/** All methods by name. */
export const methods: Record<string, Method> = {
  default: () => [],
  rank64: () => ['--rank', '64'],
  folds: () => ['--folds', '5'],
  best: (_, seconds) => ['--best', '--seconds', String(seconds)],
  rank20: () => rank,
  sqrt: () => [...rank, '--link', 'sqrt'],
  lags: (set) => prepend(rank, lags(set)),
  series: (set) => prepend(rank, series(set)),
  autoregressive: (set) => prepend([...rank, '--time-prior', 'autoregressive'], series(set) ?? lags(set)),
  folds20: () => [...rank, '--folds', '5'],
}

/** Concatenates, unless the second list is undefined. */
function prepend(first: string[], second: string[] | undefined): string[] | undefined {
  return second && [...first, ...second]
}
