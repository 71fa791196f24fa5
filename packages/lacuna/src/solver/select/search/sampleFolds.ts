/** The cells that are held out by turns where unlisted cells are zeros. */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import {
  type FoldBy,
  type SampledCells,
  type SparseTensor,
  sampleCells,
  sampleSize,
} from '../../../tensor/index.ts'
import type { RunOptions } from '../../settings/options.ts'

/** The fewest listed cells among those sampled, per fold. */
const FEWEST_LISTED = 4

/**
 * Samples the cells that folds are made of, where unlisted cells are zeros; cells of watched sets are unknown.
 */
export function sampleFolds(
  tensor: SparseTensor,
  { watch = {} }: RunOptions,
  { folds, by, seed }: { folds: number; by?: FoldBy; seed: number },
): SampledCells {
  const zeros = option('missing', 'zero')
  if (by)
    throw new InputError(
      'option',
      sentence`${option('foldBy')} does not go with ${zeros}, with which single cells are held out; leave one of them out.`,
    )
  const { dims, values } = tensor
  const count = sampleSize(dims, values.length, folds)
  const sampled = sampleCells(tensor, count, seed, Object.values(watch))
  const listed = sampled.cellOf.reduce((sum, cell) => sum + Math.sign(cell), 0)
  if (listed < FEWEST_LISTED * folds)
    throw new InputError(
      'empty',
      sentence`Of ${count} cells drawn at random only ${listed} are listed, too few to compare models by with ${zeros}; aggregate the entries to fewer rows, or leave ${zeros} out.`,
    )
  return sampled
}
