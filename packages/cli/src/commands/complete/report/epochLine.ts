/** The progress line of an epoch. */
import type { EpochReport } from 'lacuna'
import { abbreviateNumber, formatNumber, formatSeconds } from '../../../print/format.ts'

/** Formats an epoch as a progress line: epochs done, errors, entries per second, time left at most. */
export function epochLine(run: {
  entries: number
  epochs: number
  seconds?: number
}): (report: EpochReport) => string {
  const width = String(run.epochs).length
  return ({ epoch, seconds: elapsed, updateSeconds, train, validation, sample }) => {
    const left = Math.min((run.epochs - epoch) * (elapsed / epoch), (run.seconds ?? Infinity) - elapsed)
    const done = Number.isInteger(epoch) ? String(epoch) : epoch.toFixed(1)
    return [
      `epoch ${done.padStart(width)}/${run.epochs}`,
      `train ${formatNumber(train.relative).padEnd(7)}`,
      ...(validation ? [`validation ${formatNumber(validation.relative).padEnd(7)}`] : []),
      `c ${formatNumber(sample)}`,
      `${abbreviateNumber((epoch * run.entries) / updateSeconds)} entries/s`,
      `${formatSeconds(elapsed)}`,
      `${formatSeconds(Math.max(0, left))} left at most`,
    ].join('  ')
  }
}
