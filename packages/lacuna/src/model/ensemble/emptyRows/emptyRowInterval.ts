/** The interval of a cell some of whose rows have no entries, or are not known. */
import type { Observed } from '../../../tensor/index.ts'
import { quantile } from '../quantiles.ts'
import { type ResidualScale, sizeAt } from '../residualScale.ts'
import { gapDistances } from './gaps.ts'
import { type EmptyRowGroup, rowFactors } from './learnEmptyRows.ts'

/** Ends relative to the prediction, lower and upper; undefined where there is no interval. */
type Ends = [number, number] | undefined

/**
 * Makes a function that returns the ends of an interval relative to the prediction y of a cell, some of whose
 * rows have no entries; an index below 0 is that of a row that the model does not know. Undefined where no
 * group was learned for such a cell, or it has too few independent residuals for the level.
 * @param level probability that an interval contains the value
 */
export function emptyRowIntervals(
  { scale, emptyRows = [] }: { scale: ResidualScale; emptyRows?: readonly EmptyRowGroup[] },
  { counts }: Observed,
  level: number,
): (cell: ArrayLike<number>, y: number) => Ends {
  const out = (1 - level) / 2
  /** Per mode, the distances of rows without entries from those with entries. */
  const distances = counts.map(gapDistances)
  /** Whether a row of a mode lies as those of a group. @param at position of the mode in the group */
  const isAlike = ({ kinds, ranges }: EmptyRowGroup, at: number, mode: number, row: number): boolean => {
    if (kinds[at] === 'any') return true
    if (row < 0 || kinds[at] === 'unknown') return row < 0 && kinds[at] === 'unknown'
    const distance = distances[mode][row]
    const [from, to] = ranges[at]
    const isOfKind = kinds[at] === 'between' ? distance > 0 : distance < 0
    return isOfKind && Math.abs(distance) >= from && Math.abs(distance) <= to
  }
  return (cell, y) => {
    const empty: number[] = []
    for (let mode = 0; mode < counts.length; mode++)
      if (cell[mode] < 0 || counts[mode][cell[mode]] === 0) empty.push(mode)
    const isOf = (group: EmptyRowGroup): boolean =>
      group.modes.length === empty.length &&
      group.modes.every((mode, at) => mode === empty[at] && isAlike(group, at, mode, cell[mode]))
    // Groups of unknown rows come before those of any rows.
    const group = emptyRows.find(isOf)
    if (!group) return undefined
    const { residuals, independent } = group
    const beyond = (out * (independent + 1) - 0.5) / independent
    if (!(beyond >= 0)) return undefined
    const unit = sizeAt(group, y) * rowFactors(scale, group.modes, (mode) => cell[mode])
    return [unit * quantile(residuals, beyond), unit * quantile(residuals, 1 - beyond)]
  }
}
