import { InputError } from '../inputError.ts'
import type { SparseTensor } from '../tensor/index.ts'

/** A mode by name or by number from 1; from 0 as it is returned. `flag` is where it was typed. */
export function modeNumber(
  { dims, modes }: Pick<SparseTensor, 'dims' | 'modes'>,
  text: string,
  flag: string,
): number {
  const named = modes?.findIndex(({ name }) => name === text) ?? -1
  if (named >= 0) return named
  const number = /^\d+$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= dims.length) return number - 1
  const names = modes ? `, or ${modes.map(({ name }) => name).join(', ')}` : ''
  throw new InputError(
    'option',
    `${flag} ${text}: there is no such mode; give a number from 1 to ${dims.length}${names}.`,
  )
}
