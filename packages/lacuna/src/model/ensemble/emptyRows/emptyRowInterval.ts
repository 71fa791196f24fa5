/** The interval of a cell some of whose rows have no entries, or fewer than any in training, or are not known. */
import type { Observed } from '../../../tensor/index.ts'
import type { Intervals } from '../intervals.ts'
import { quantile, quantileOfIndependent } from '../quantiles.ts'
import { sizeAt } from '../residualScale.ts'
import { gapDistances } from './gaps.ts'
import { type EmptyRowGroup, rowFactors } from './learnEmptyRows.ts'

/**
 * Ends relative to the prediction, lower and upper; undefined where there is no interval; 'usual' for a cell
 * whose rows are as in training.
 */
type Ends = [number, number] | undefined | 'usual'

/**
 * Makes a function that returns the ends of an interval relative to the prediction y of a cell, some of whose
 * rows have no entries, or fewer than any in training; an index below 0 is that of a row that the model does
 * not know. Undefined where no group was learned for such a cell, or it has too few independent residuals for
 * the level.
 * @param level probability that an interval contains the value
 */
export function emptyRowIntervals(
  { scale, emptyRows = [], leastEntries }: Pick<Intervals, 'scale' | 'emptyRows' | 'leastEntries'>,
  { counts }: Observed,
  level: number,
): (cell: ArrayLike<number>, y: number) => Ends {
  const out = (1 - level) / 2
  /** Per mode, the distances of rows without entries from those with entries. */
  const distances = counts.map(gapDistances)
  /** Whether a row of a mode lies as those of a group. @param at position of the mode in the group */
  const isAlike = ({ kinds, ranges }: EmptyRowGroup, at: number, mode: number, row: number): boolean => {
    const isFew = row >= 0 && counts[mode][row] > 0
    if (isFew !== (kinds[at] === 'few')) return false
    if (kinds[at] === 'any') return true
    if (row < 0 || kinds[at] === 'unknown') return row < 0 && kinds[at] === 'unknown'
    const [from, to] = ranges[at]
    if (kinds[at] === 'few') return counts[mode][row] >= from && counts[mode][row] <= to
    const distance = distances[mode][row]
    const isOfKind = kinds[at] === 'between' ? distance > 0 : distance < 0
    return isOfKind && Math.abs(distance) >= from && Math.abs(distance) <= to
  }
  return (cell, y) => {
    let empty: number[] = []
    let fewest = -1
    for (let mode = 0; mode < counts.length; mode++) {
      const count = cell[mode] < 0 ? 0 : counts[mode][cell[mode]]
      if (count === 0) empty.push(mode)
      else if (leastEntries && count < leastEntries[mode])
        if (fewest < 0 || count < counts[fewest][cell[fewest]]) fewest = mode
    }
    if (empty.length === 0 && fewest < 0) return 'usual'
    if (empty.length === 0) empty = [fewest]
    const isOf = (group: EmptyRowGroup): boolean =>
      group.modes.length === empty.length &&
      group.modes.every((mode, at) => mode === empty[at] && isAlike(group, at, mode, cell[mode]))
    // Groups of unknown rows come before those of any rows.
    const group = emptyRows.find(isOf)
    if (!group) return undefined
    const { residuals, independent } = group
    const beyond = quantileOfIndependent(out, independent)
    if (!(beyond >= 0)) return undefined
    const unit = sizeAt(group, y) * rowFactors(scale, group.modes, (mode) => cell[mode])
    return [unit * quantile(residuals, beyond), unit * quantile(residuals, 1 - beyond)]
  }
}
