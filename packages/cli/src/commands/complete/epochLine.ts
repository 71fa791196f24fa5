import type { EpochReport } from 'lacuna'
import { figure, seconds, short } from '../../print/format.ts'

/** An epoch as a line of progress: how far, how good, how fast, how long at the most still. */
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
      `train ${figure(train.relative).padEnd(7)}`,
      ...(validation ? [`validation ${figure(validation.relative).padEnd(7)}`] : []),
      `c ${figure(sample)}`,
      `${short((epoch * run.entries) / updateSeconds)} entries/s`,
      `${seconds(elapsed)}`,
      `${seconds(Math.max(0, left))} left at most`,
    ].join('  ')
  }
}
