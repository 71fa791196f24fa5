/** The report of backtests: errors by steps ahead beside those of the baselines, and a verdict. */
import type { Backtest, ComparedErrors, Forecast, ForecastIntervals } from 'lacuna/forecast'
import { formatCount, formatCounted, formatNumber, formatTable } from '../../print/format.ts'

/** Most lines of steps ahead; more steps are put together in groups. */
const MOST_LINES = 10

/** Formats the settings that were tried, the errors of the backtests, the coverage of intervals, and the verdict. */
export function backtestReport(
  { trials, backtest, settings }: Pick<Forecast, 'trials' | 'backtest' | 'settings'>,
  intervals: ForecastIntervals | undefined,
): string {
  if (!backtest) return ''
  const tried =
    trials.length > 1
      ? [
          'Tried by backtests:',
          formatTable([
            ['', 'RMSE', 'origins'],
            ...trials.map(({ name, rmse, origins }) => [name, formatNumber(rmse), String(origins)]),
          ]),
          '',
        ]
      : []
  const { origins, season, steps } = backtest
  const coverage = (from: number, to: number): string[] => {
    if (!intervals) return []
    const known = intervals.coverageByStep.slice(from, to).filter((one) => !Number.isNaN(one))
    return [known.length > 0 ? percent(known.reduce((sum, one) => sum + one, 0) / known.length) : '–']
  }
  const size = Math.ceil(steps.length / MOST_LINES)
  const groups = Array.from({ length: Math.ceil(steps.length / size) }, (_, at) => [
    at * size,
    Math.min(steps.length, (at + 1) * size),
  ])
  const lines = groups.flatMap(([from, to]) => {
    const known = steps.slice(from, to).filter((step) => step !== undefined)
    const name = to - from === 1 ? String(to) : `${from + 1} to ${to}`
    return known.length > 0 ? [[name, ...errorCells(join(known)), ...coverage(from, to)]] : []
  })
  return [
    ...tried,
    `Backtests from ${formatCounted(origins.length, 'origin')}, ${formatCount(backtest.entries)} values (RMSE, MAE):`,
    formatTable([
      [
        'steps ahead',
        'model',
        '',
        `season ago (${season})`,
        '',
        `mean of season (${season})`,
        '',
        ...(intervals ? [`in ${percent(intervals.level)} intervals`] : []),
      ],
      ...lines,
      ['all', ...errorCells(backtest), ...(intervals ? [percent(intervals.coverage)] : [])],
    ]),
    verdictOf(backtest, settings),
  ].join('\n')
}

/** A fraction in percent. */
const percent = (fraction: number): string => `${Math.round(100 * fraction)}%`

/** The cells of a line: RMSE and MAE of the model and both baselines. */
const errorCells = ({ model, naive, seasonMean }: ComparedErrors): string[] =>
  [model, naive, seasonMean].flatMap(({ rmse, mae }) => [formatNumber(rmse), formatNumber(mae)])

/** The errors of several steps together. */
function join(steps: readonly ComparedErrors[]): ComparedErrors {
  const entries = steps.reduce((sum, step) => sum + step.entries, 0)
  const errors = (of: 'model' | 'naive' | 'seasonMean') => ({
    rmse: Math.sqrt(steps.reduce((sum, step) => sum + step.entries * step[of].rmse ** 2, 0) / entries),
    mae: steps.reduce((sum, step) => sum + step.entries * step[of].mae, 0) / entries,
  })
  return { entries, model: errors('model'), naive: errors('naive'), seasonMean: errors('seasonMean') }
}

/**
 * The sentence that compares the forecast with the baselines.
 * @param settings those of the forecast, in words
 */
export function verdictOf(
  { model, naive, seasonMean, season }: Backtest,
  settings: readonly string[],
): string {
  if (settings.every((name) => /^(mean of the season|value one season before) /.test(name)))
    return `Nothing that was tried is better than a simple rule, which the forecast therefore is: ${settings.join(', and ')}.`
  const rules = [
    { name: `the value one season before (${season})`, rmse: naive.rmse },
    { name: `the mean of the season (${season})`, rmse: seasonMean.rmse },
  ].sort((a, b) => a.rmse - b.rmse)
  const [best] = rules
  if (best.rmse === 0 && model.rmse === 0)
    return `The forecast is exact in the backtests, and so is ${best.name}.`
  if (best.rmse === 0) return `${capitalize(best.name)} is exact in the backtests; use it instead.`
  const change = model.rmse / best.rmse - 1
  const amount = `${Math.abs(100 * change).toFixed(Math.abs(change) < 0.1 ? 1 : 0)}%`
  if (change < -0.005)
    return `The forecast is better than simple rules: its error in the backtests is ${amount} below that of ${best.name}.`
  if (change <= 0.005) return `The forecast is as good as ${best.name}, no better.`
  return `The forecast is no better than simple rules: its error in the backtests is ${amount} above that of ${best.name}.`
}

/** A text that begins with a capital letter. */
const capitalize = (text: string): string => text[0].toUpperCase() + text.slice(1)
