/** Curves of errors. */
import type { EpochReport } from 'lacuna'
import type { Curve } from 'lacuna-figures/results'

/**
 * Converts the reports of a run into a curve: relative errors on the observed entries and on those of its
 * watch set `hidden`, against epochs and seconds of updates.
 */
export function curveOf(reports: readonly EpochReport[]): Curve {
  return {
    epoch: reports.map(({ epoch }) => round(epoch)),
    seconds: reports.map(({ updateSeconds }) => round(updateSeconds)),
    observed: reports.map(({ train }) => round(train.relative)),
    hidden: reports.map(({ watch }) => round(watch!.hidden.relative)),
  }
}

/** Rounds to six significant digits, to keep the file short. */
const round = (x: number): number => Number(x.toPrecision(6))
