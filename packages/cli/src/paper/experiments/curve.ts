/** Curves of errors. */
import type { EpochReport } from 'lacuna'
import type { Curve } from 'lacuna-figures/results'

/** The reports of a run as a curve. The hidden entries are its watch set `hidden`. */
export function curveOf(reports: readonly EpochReport[]): Curve {
  return {
    epoch: reports.map(({ epoch }) => round(epoch)),
    seconds: reports.map(({ updateSeconds }) => round(updateSeconds)),
    observed: reports.map(({ train }) => round(train.relative)),
    hidden: reports.map(({ watch }) => round(watch!.hidden.relative)),
  }
}

/** Rounds to six digits, to keep the file short. */
const round = (x: number): number => Number(x.toPrecision(6))
