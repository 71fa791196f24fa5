/** Enlarges the sizes of a tensor that was read. */
import { InputError } from '../base/inputError.ts'
import type { SparseTensor } from './sparseTensor.ts'

/**
 * Returns the tensor with larger sizes, for rows without entries. Throws if a size is smaller than the
 * tensor's, if their number differs, or if a mode with labels would grow.
 * @param dims undefined leaves the tensor as it is
 */
export function fitToDims<T extends Pick<SparseTensor, 'dims' | 'labels'>>(
  tensor: T,
  dims: readonly number[] | undefined,
): T {
  if (!dims) return tensor
  if (dims.length !== tensor.dims.length)
    throw new InputError(
      'format',
      `the file has ${tensor.dims.length} modes, but ${dims.length} dims were given; give one size per mode.`,
    )
  dims.forEach((dim, mode) => {
    if (dim < tensor.dims[mode])
      throw new InputError(
        'format',
        `mode ${mode + 1} has the size ${tensor.dims[mode]}, more than the ${dim} that were given as dims.`,
      )
    if (dim > tensor.dims[mode] && tensor.labels?.[mode])
      throw new InputError(
        'format',
        `mode ${mode + 1} has ${tensor.dims[mode]} labels, which cannot name ${dim} indices; leave the dims out.`,
      )
  })
  return { ...tensor, dims }
}
