/** The action of `lacuna forecast`: from data or a model to a table of forecasts and a report of backtests. */
import { InputError, type SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import { type Forecast, type ForecastIntervals, forecast } from 'lacuna/forecast'
import {
  type AnswerOutput,
  checkAnswerOutput,
  checkOutputs,
  FEWEST_ORIGINS,
  kindByName,
  modeName,
  readTensorOrModel,
  singleProcess,
  TensorModel,
  writeAnswers,
} from 'lacuna/internal'
import { keepFutureRows, noteGaps } from '../../options/futureRows.ts'
import { readWithProgress } from '../../options/readTensor.ts'
import { duplicatesOf, tableOptions } from '../../options/tableOptions.ts'
import { formatCounted } from '../../print/format.ts'
import { print, printJson } from '../../print/print.ts'
import { printable } from '../../print/printable.ts'
import { type Progress, startProgress } from '../../print/terminal.ts'
import { asFlag } from '../../process/failure.ts'
import { withSignals } from '../../process/signals.ts'
import { describeLeftOut } from '../complete/report/crossFitReport.ts'
import { parseReshaping } from '../complete/reshape.ts'
import { backtestReport, verdictOf } from './backtestReport.ts'
import type { ForecastCommandOptions } from './forecastOptions.ts'
import { type ForecastRows, forecastColumns, forecastRows, rowsAsked } from './forecastTable.ts'

/** Probability of an interval where none is asked for. */
const DEFAULT_LEVEL = 0.9

/** A model with rows in the future, and what is known of its errors. */
interface Answer extends Pick<ForecastRows, 'model' | 'mode' | 'first' | 'intervals'> {
  /** Present if it is from data. */
  found?: Forecast
}

/** Runs `lacuna forecast`. */
export async function runForecast(files: string[], options: ForecastCommandOptions): Promise<void> {
  const begun = performance.now()
  const progress = startProgress(options.quiet ?? false)
  const { output, json } = options
  if (output !== undefined && output !== '-') checkAnswerOutput(output)
  await checkOutputs([output], files)
  const given = kindByName(files[0]) === 'npz' ? await readTensorOrModel(files[0]) : undefined
  const answer =
    given instanceof TensorModel
      ? forecastModel(given, files, options)
      : await forecastData(given ?? (await readData(files, options, progress)), options, begun, progress)
  const asked: ForecastRows = { ...answer, rows: rowsAsked(answer, options.for ?? []) }
  const { found, intervals } = answer
  const count = asked.rows.reduce((product, rows) => product * rows.length, 1)
  const isFile = output !== undefined && output !== '-'
  const columns = forecastColumns(asked)
  if (isFile) await writeAnswers(output, columns, forecastRows(asked))
  if (json) {
    const forecasts: unknown[] = []
    if (!isFile)
      for (const batch of forecastRows(asked))
        for (const row of batch)
          forecasts.push(Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))
    const { settings, trials, inserted, leftOut, backtest } = found ?? {}
    await printJson({
      mode: modeName(answer.model, answer.mode),
      ...{ settings, trials, inserted, backtest },
      ...(leftOut && leftOut.length > 0 && { leftOut }),
      ...(backtest && { verdict: verdictOf(backtest, settings ?? []) }),
      ...(intervals && {
        interval: {
          level: intervals.level,
          coverage: intervals.coverage,
          coverageByStep: intervals.coverageByStep,
        },
      }),
      ...(isFile ? { output } : { forecasts }),
    })
    return
  }
  const report = found?.backtest && backtestReport(found, intervals)
  if (isFile) {
    if (report) await print(report)
    progress.say(`${output}: ${formatCounted(count, 'forecast')}`)
    return
  }
  if (report) progress.say(report)
  const stdout: AnswerOutput = {
    format: 'csv',
    write: (text) => print(process.stdout.isTTY ? printable(text) : text),
  }
  await writeAnswers(stdout, columns, forecastRows(asked))
}

/** Reads the data of the command, with the rows of time that have no values yet. */
async function readData(
  files: readonly string[],
  options: ForecastCommandOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const { dims, negative } = options
  const { onRemark, hasGaps } = noteGaps(progress)
  const reading = { ...tableOptions(options), dims, negative, duplicates: duplicatesOf(options), onRemark }
  const tensor = await readWithProgress(files, reading, progress)
  return hasGaps() && dims === undefined ? keepFutureRows(tensor, files, options, progress) : tensor
}

/** Extends a model by its own prior. Throws if an option needs the data. */
function forecastModel(
  given: TensorModel,
  files: readonly string[],
  { horizon, step, time, backtest, interval, seconds }: ForecastCommandOptions,
): Answer {
  if (files.length > 1)
    throw new InputError(
      'option',
      `${files[1]}: a model is forecast by itself; name it alone, or the data alone.`,
    )
  if (backtest !== undefined || interval !== undefined)
    throw new InputError(
      'option',
      `--${backtest === undefined ? 'interval' : 'backtest'} needs the data, which a model does not hold; name the data instead of the model, or leave it out.`,
    )
  if (seconds !== undefined)
    throw new InputError(
      'option',
      '--seconds is for forecasts from data; a model is forecast in a moment, so leave it out.',
    )
  if (horizon === undefined)
    throw new InputError('option', 'Say with --horizon how many rows are to be forecast.')
  const model = (given as CpEnsemble).forecast(horizon, { step, time })
  const mode = model.dims.findIndex((dim, m) => dim !== given.dims[m])
  return { model, mode, first: given.dims[mode] }
}

/**
 * Forecasts from data, with intervals where backtests allow. Throws if a signal interrupts it.
 * @param begun when the command began, in milliseconds of performance.now()
 */
async function forecastData(
  tensor: SparseTensor,
  options: ForecastCommandOptions,
  begun: number,
  progress: Progress,
): Promise<Answer> {
  const { horizon, step, time, backtest, rank, link, noise, lags, timePrior, choose, seed, threads } = options
  if (options.interval !== undefined && backtest !== undefined && backtest < FEWEST_ORIGINS)
    throw new InputError(
      'option',
      `--interval needs ${FEWEST_ORIGINS} backtests or more; give a larger --backtest, or leave out --interval.`,
    )
  const reshaping =
    options.mergeModes || options.split ? await parseReshaping(options, tensor, undefined, singleProcess) : {}
  const found = await withSignals(async ({ signal, outcome }) => {
    const result = await forecast(tensor, {
      seconds: secondsToForecast(options.seconds, begun),
      ...{ horizon, step, time, backtest, rank, link, noise, lags, timePrior, choose, seed, threads, signal },
      ...reshaping,
      onFit: (fits, what) => progress.update(`Model ${fits + 1}: ${what}`),
    })
    if (!result) throw outcome()
    return result
  })
  progress.end()
  const { model, mode, first, inserted, settings, leftOut } = found
  if (leftOut.length > 0)
    progress.say(describeLeftOut(leftOut, options.seconds, secondsToForecast(options.seconds, begun)))
  const name = modeName(model, mode)
  const steps = model.dims[mode] - first
  progress.say(
    `Forecast of ${formatCounted(steps, 'row')} of ${name}, ${model.label(mode, first)} … ${model.label(mode, first + steps - 1)}, by ${settings.join('; ')}`,
  )
  if (inserted.length > 0)
    progress.insist(
      `${name} has gaps: ${formatCounted(inserted.length, 'row')} without values ${inserted.length === 1 ? 'was' : 'were'} inserted, the first ${inserted[0]}.`,
    )
  if (options.interval === undefined && options.backtest === 0) return { model, mode, first, found }
  return { model, mode, first, found, intervals: intervalsOf(found, options.interval, progress) }
}

/** Seconds from the start of the program to the command, and for writing the forecast. */
const PROGRAM_SECONDS = 0.3

/** The seconds of --seconds that are left for the forecast; undefined without --seconds. */
function secondsToForecast(seconds: number | undefined, begun: number): number | undefined {
  if (seconds === undefined) return undefined
  const left = seconds - (performance.now() - begun) / 1000
  return Math.max(0.5 * left, left - PROGRAM_SECONDS, 1e-3)
}

/** Intervals at the level asked for; at the default one, only where backtests allow. */
function intervalsOf(
  found: Forecast,
  level: number | undefined,
  progress: Progress,
): ForecastIntervals | undefined {
  try {
    return found.intervals(level ?? DEFAULT_LEVEL)
  } catch (error) {
    if (level !== undefined || !(error instanceof InputError)) throw error
    progress.say(`No intervals: ${error.in(asFlag)}`)
    return undefined
  }
}
