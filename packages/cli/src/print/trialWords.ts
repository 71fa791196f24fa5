/** The settings of a trial in words, with the names of modes in place of their numbers. */
import type { SparseTensor } from 'lacuna'
import { modeName, trialName } from 'lacuna/internal'
import { oneLine } from './printable.ts'

/** The names of a tensor's or model's modes. */
type Named = Pick<SparseTensor, 'modes'>

/** The settings of a trial in words: `rank 8, merged shop,product, split day:7`. */
export const trialWords = (trial: Parameters<typeof trialName>[0], tensor: Named): string =>
  oneLine(
    trialName({
      ...trial,
      ...(trial.merged && { merged: nameMerged(trial.merged, tensor) }),
      ...(trial.split && { split: nameSplit(trial.split, tensor) }),
    }),
  )

/** Groups of merged modes, as in `2,3 4,5`, by the names of the modes. */
const nameMerged = (merged: string, tensor: Named): string =>
  merged.replace(/\d+/g, (number) => nameOf(number, tensor))

/** Split modes, as in `1:7x24+5`, by the names of the modes. */
const nameSplit = (split: string, tensor: Named): string =>
  split.replace(/(^| )(\d+)(?=:)/g, (_, before: string, number: string) => before + nameOf(number, tensor))

/** The name of a mode by its number from 1; the number where modes have no names. */
const nameOf = (number: string, tensor: Named): string =>
  tensor.modes ? modeName(tensor, Number(number) - 1) : number
