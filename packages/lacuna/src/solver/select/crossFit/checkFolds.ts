/** Checks of the number of folds and of their sizes. */
import { InputError, option, sentence } from '../../../base/inputError.ts'

/** Throws unless the number of folds is a whole number from 2 to 100. */
export function checkFoldCount(count: number): void {
  if (!Number.isInteger(count) || count < 2 || count > 100)
    throw new InputError(
      'option',
      sentence`${option('folds')} is ${count}; it must be a whole number from 2 to 100.`,
    )
}

/**
 * Throws if a fold is empty or leaves no entry to train on.
 * @param folds per entry, the number of its fold
 */
export function checkFoldSizes(folds: Uint8Array, count: number): void {
  const entries = new Array<number>(count).fill(0)
  for (const fold of folds) entries[fold]++
  if (folds.length < count)
    throw new InputError(
      'empty',
      sentence`${count} folds need at least as many entries, and there ${folds.length === 1 ? 'is one' : `are ${folds.length}`}; give more data, or fewer ${option('folds')}.`,
    )
  entries.forEach((out, fold) => {
    if (out === 0 || out === folds.length)
      throw new InputError(
        'empty',
        sentence`Fold ${fold + 1} would have ${out} entries and leave ${folds.length - out}; use fewer ${option('folds')}, or hold out less at a time by ${option('foldBy')}.`,
      )
  })
}
