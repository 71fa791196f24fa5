/** Finds modes by name or number. */
import { InputError, type OptionMention, sentence } from '../base/inputError.ts'
import type { SparseTensor } from './sparseTensor.ts'

/**
 * Returns the number of a mode, from 0; throws if there is none.
 * @param name its name, or its number from 1, as in 2 or mode_2; a name takes precedence
 * @param what the option in messages
 */
export function modeNumber(
  { dims, modes }: Pick<SparseTensor, 'dims' | 'modes'>,
  name: string,
  what: OptionMention,
): number {
  const named = modes?.findIndex((mode) => mode.name === name) ?? -1
  if (named >= 0) return named
  // Predictions call a mode without a name mode_1, mode_2 …
  const number = Number(/^(?:mode_)?([0-9]+)$/.exec(name)?.[1] ?? 0)
  if (number >= 1 && number <= dims.length) return number - 1
  const known = modes
    ? `${modes.map((mode) => mode.name).join(', ')}, or 1 to ${dims.length}`
    : `1 to ${dims.length}`
  throw new InputError('option', sentence`${what} names mode '${name}'; there are ${known}.`)
}
