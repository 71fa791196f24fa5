import type { EpochReport } from 'lacuna'
import type { Curve } from 'lacuna-figures/results'

/** A run's reports as a curve; the hidden entries were watched as `hidden`. */
export function curveOf(reports: readonly EpochReport[]): Curve {
  return {
    epoch: reports.map(({ epoch }) => digits(epoch)),
    seconds: reports.map(({ updateSeconds }) => digits(updateSeconds)),
    observed: reports.map(({ train }) => digits(train.relative)),
    hidden: reports.map(({ watch }) => digits(watch!.hidden.relative)),
  }
}

/** Six digits: more would only make the file longer. */
const digits = (x: number): number => Number(x.toPrecision(6))
