/** Progress lines of epochs. */
import type { EpochReport } from 'lacuna'
import { type LinkName, linkScaleNames } from 'lacuna/internal'
import { abbreviateNumber, formatNumber, formatSeconds } from '../../../print/format.ts'

/**
 * Returns a function that formats an epoch's report as a progress line: epochs done, relative errors, sample
 * fraction c, training entries per second, seconds so far and left at most. While a prior is learned, the
 * line has a remark on that, and on a rise of the training error.
 * @param run number of training entries, the limits of the run: epochs, and seconds if any; and the link, on
 * whose scale errors are, 'identity' by default
 */
export function epochFormatter(run: {
  entries: number
  epochs: number
  seconds?: number
  link?: LinkName
}): (report: EpochReport, isLearningPrior?: boolean) => string {
  const scale = linkScaleNames[run.link ?? 'identity']
  const width = String(run.epochs).length
  /** The training error before the prior was learned. */
  let before = Infinity
  return ({ epoch, seconds: elapsed, updateSeconds, train, validation, sample }, isLearningPrior) => {
    const left = Math.min((run.epochs - epoch) * (elapsed / epoch), (run.seconds ?? Infinity) - elapsed)
    if (!isLearningPrior) before = train.relative
    const rises = train.relative > before ? ', so train rises' : ''
    const done = Number.isInteger(epoch) ? String(epoch) : epoch.toFixed(1)
    return [
      `epoch ${done.padStart(width)}/${run.epochs}`,
      `train ${formatNumber(train.relative).padEnd(7)}`,
      ...(validation ? [`validation ${formatNumber(validation.relative).padEnd(7)}`] : []),
      ...(scale ? [scale] : []),
      `c ${formatNumber(sample)}`,
      `${abbreviateNumber((epoch * run.entries) / updateSeconds)} entries/s`,
      `${formatSeconds(elapsed)}`,
      `${formatSeconds(Math.max(0, left))} left at most`,
      ...(isLearningPrior ? [`learning the prior${rises}`] : []),
    ].join('  ')
  }
}
