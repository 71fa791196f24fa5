/**
 * Checks that tensor, validation entries and watched sets are tensors: programs without types may pass
 * anything.
 */
import { InputError, type OptionMention, option, sentence } from '../../base/inputError.ts'
import { checkNotEmpty, checkShape, type SparseTensor } from '../../tensor/index.ts'
import type { RunOptions } from './options.ts'

/** Names that watched sets cannot have: the engine uses them. */
const RESERVED_NAMES = ['train', 'probe', 'validation']

/**
 * Throws if the tensor, the validation entries or a watched set are no tensors, empty, or of different sizes;
 * the engine checks indices and values.
 * @param isShard whether these are the entries of one process of several, which may have none
 */
export function checkEntries(
  tensor: SparseTensor,
  { validation, watch = {} }: RunOptions,
  isShard = false,
): void {
  checkTensor(tensor, 'The tensor', undefined, isShard)
  if (validation !== undefined) checkTensor(validation, option('validation'), tensor.dims, isShard)
  if (typeof watch !== 'object' || watch === null)
    throw new InputError(
      'option',
      sentence`${option('watch')} must be an object of sets of entries, by their names.`,
    )
  for (const [name, set] of Object.entries(watch)) {
    if (RESERVED_NAMES.includes(name))
      throw new InputError('option', sentence`${option('watch')} has a set '${name}'; choose another name.`)
    checkTensor(set, `The watched set '${name}'`, tensor.dims, isShard)
  }
}

/**
 * Throws if a set is no tensor, not of the sizes `dims`, or empty.
 * @param what the set, as messages name it
 * @param dims the sizes that it must have; undefined: any
 * @param isShard whether it may be empty
 */
function checkTensor(
  set: SparseTensor,
  what: string | OptionMention,
  dims: readonly number[] | undefined,
  isShard: boolean,
): void {
  const isTensor =
    typeof set === 'object' && set !== null && Array.isArray(set.dims) && Array.isArray(set.indices)
  if (!isTensor)
    throw new InputError(
      'shape',
      sentence`${what} is ${set === undefined || set === null ? 'missing' : 'no tensor'}; give dims, indices and values, as sparseTensor makes them.`,
    )
  if (!(set.values instanceof Float32Array))
    throw new InputError('shape', sentence`${what} has values that are no Float32Array.`)
  set.indices.forEach((column, mode) => {
    if (!(column instanceof Uint32Array))
      throw new InputError(
        'shape',
        sentence`${what} has indices of mode ${mode + 1} that are no Uint32Array.`,
      )
  })
  if (dims && set.dims.join() !== dims.join())
    throw new InputError(
      'shape',
      sentence`${what} is of size ${set.dims.join('×')}, the training entries of ${dims.join('×')}.`,
    )
  checkShape(set)
  if (!isShard) checkNotEmpty(set.values.length)
}
