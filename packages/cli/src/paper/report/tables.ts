/** Tables of all numbers behind the figures. */
import type { PaperResults } from 'lacuna-figures/results'
import { type Band, bandOf, timingPoints } from 'lacuna-figures/results'
import { formatCount } from '../../print/format.ts'
import { formatDims, formatThreeDigits } from '../numbers.ts'

/** A table of texts. */
export interface Table {
  title: string
  /** Rows of cells; the first is the head. */
  rows: string[][]
}

/** Lists the tables of all experiments with results. */
export function tablesOf({ image, convergence, timing }: PaperResults): Table[] {
  return [
    ...(image ? [imageTable(image)] : []),
    ...(convergence ? [convergenceTable(convergence)] : []),
    ...(timing ? [timingTable(timing), balanceTable(timing)] : []),
  ]
}

/** Formats a band as mean (smallest–largest), or as the mean alone if all values are equal. */
const formatBand = ({ mean, low, high }: Band): string =>
  low === high
    ? formatThreeDigits(mean)
    : `${formatThreeDigits(mean)} (${formatThreeDigits(low)}–${formatThreeDigits(high)})`

/**
 * Settings, errors and seconds of the restorations of figure 1, one row each, after a row for the baseline:
 * every hidden value replaced by the mean of its channel.
 */
function imageTable({ runs, mean: baseline }: NonNullable<PaperResults['image']>): Table {
  return {
    title: 'Figure 1: the hidden values of the picture',
    rows: [
      ['method', 'R', 'c', 'λ', 'epochs', 'relative error', 'PSNR in dB', 'seconds'],
      [
        "each channel's mean",
        '',
        '',
        '',
        '',
        formatThreeDigits(baseline.relative),
        baseline.psnr.toFixed(2),
        '',
      ],
      ...runs.map(({ method, rank, sample, lambda, curve, quality, seconds }) => [
        ...[
          method,
          String(rank),
          String(sample),
          String(lambda),
          curve ? formatThreeDigits(curve.epoch.at(-1)!) : '',
        ],
        ...[formatThreeDigits(quality.relative), quality.psnr.toFixed(2), formatThreeDigits(seconds)],
      ]),
    ],
  }
}

/** Errors at the end and seconds per epoch of each curve of figure 2. */
function convergenceTable({ problems }: NonNullable<PaperResults['convergence']>): Table {
  return {
    title: 'Figure 2: errors at the end, mean over the trials (smallest–largest)',
    rows: [
      ['data', 'solver', 'c', 'λ', 'trials', 'epochs', 'observed', 'hidden', 'seconds per epoch'],
      ...problems.flatMap(({ name, series }) =>
        series.map(({ solver, sample, lambda, trials }) => {
          const ends = trials.map(({ curve }) => ({
            epochs: curve.epoch.at(-1)!,
            observed: curve.observed.at(-1)!,
            hidden: curve.hidden.at(-1)!,
            pace: curve.seconds.at(-1)! / curve.epoch.at(-1)!,
          }))
          const band = (column: keyof (typeof ends)[number]): string =>
            formatBand(bandOf(ends.map((end) => end[column])))
          return [
            ...[name, solver, String(sample), String(lambda), String(trials.length)],
            ...[band('epochs'), band('observed'), band('hidden'), band('pace')],
          ]
        }),
      ),
    ],
  }
}

/** Seconds per epoch and speed-up by problem, solver, rank and threads. */
function timingTable({ problems }: NonNullable<PaperResults['timing']>): Table {
  return {
    title: 'Figures 3 and 4: an epoch, mean over the trials (smallest–largest)',
    rows: [
      ['data', 'solver', 'R', 'threads', 'trials', 'seconds', 'speed-up'],
      ...problems.flatMap((problem) =>
        timingPoints(problem).map(({ solver, rank, threads, seconds, speedUp }, i) => [
          ...[problem.name, solver, String(rank), String(threads)],
          ...[String(problem.series[i].seconds.length), formatBand(seconds), formatBand(speedUp)],
        ]),
      ),
    ],
  }
}

/** Largest possible speed-up with rows as tasks, by problem and threads. */
function balanceTable({ problems }: NonNullable<PaperResults['timing']>): Table {
  const threads = problems[0].rowBalance.map((one) => one.threads)
  return {
    title: 'Balance of the rows: the most speed-up there could be if threads took whole rows',
    rows: [
      ['data', 'size', 'entries', ...threads.map((n) => `${n} threads`)],
      ...problems.map(({ name, data, rowBalance }) => [
        ...[name, formatDims(data.dims), formatCount(data.entries)],
        ...rowBalance.map(({ speedUp }) => speedUp.toFixed(2)),
      ]),
    ],
  }
}
