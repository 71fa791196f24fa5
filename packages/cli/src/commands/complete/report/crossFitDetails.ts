/**
 * Details of a cross-fit beside its errors: stability of components, rows with the largest errors, the plot
 * of ranks.
 */
import { InputError, type SparseTensor } from 'lacuna'
import type { FoldedCompletion, OutOfFold } from 'lacuna/folds'
import {
  type FoldChoice,
  isWorthUsing,
  option,
  sentence,
  type TrainingRecord,
  trialName,
  writeFileWhole,
} from 'lacuna/internal'
import { worstHead, worstLine } from '../../../print/errorsByMode.ts'
import { formatCount, formatNumber } from '../../../print/format.ts'
import { trialWords } from '../../../print/trialWords.ts'

/**
 * Describes the cross-fit in the training record of a model file: the out-of-fold error and the stability of
 * components, each as a name and a text. Fields that are missing or of another type are left out, because a
 * file is untrusted.
 */
export function describeCrossFitRecord({
  outOfFold,
  stability,
}: TrainingRecord): [name: string, text: string][] {
  const { error, verdict } = (outOfFold ?? {}) as Partial<OutOfFold>
  const { found, match } = (stability ?? {}) as Partial<NonNullable<FoldedCompletion['stability']>>
  const lines: [string, string][] = []
  if (typeof error?.rmse === 'number' && typeof verdict === 'string')
    lines.push(['out of fold', `RMSE ${formatNumber(error.rmse)}, ${verdict}`])
  if (Array.isArray(found) && typeof match === 'number')
    lines.push(['components', `found in ${found.join(', ')} models; factor match ${match.toFixed(2)}`])
  return lines
}

/** Formats the lines below the table of errors: stability of the components, rows with the largest errors. */
export function crossFitDetails({
  outOfFold: { folds, byMode, error, baselines },
  stability,
}: Pick<FoldedCompletion, 'stability'> & { outOfFold: OutOfFold }): string[] {
  // Models that have found nothing have nearly constant components, which agree.
  const isMeaningful = stability && isWorthUsing(error.rmse, baselines)
  return [
    ...(isMeaningful ? [describeStability(stability, folds)] : []),
    '',
    `${worstHead}, out of fold`,
    ...byMode.map((mode) => worstLine(mode)),
  ]
}

/** Describes how many components are found in all models, and the core consistency. */
function describeStability(
  { match, found, coreConsistency }: NonNullable<FoldedCompletion['stability']>,
  folds: number,
): string {
  const steady = found.filter((models) => models === folds).length
  const core =
    coreConsistency === undefined
      ? ''
      : `; core consistency ${coreConsistency < 0 ? 'below 0' : `${(100 * coreConsistency).toFixed(0)}%`}`
  return `${formatCount(steady)} of ${formatCount(found.length)} components are found in all ${folds} models (factor match ${match.toFixed(2)})${core}.`
}

/**
 * Throws if --plot is given where no ranks are tried, or is neither .svg nor .html.
 * @param plot path of --plot
 */
export function checkPlot(plot: string | undefined, areRanksTried: boolean): void {
  if (plot === undefined) return
  if (!areRanksTried)
    throw new InputError(
      'option',
      sentence`${option('plot')} draws the ranks that were tried; add ${option('rank', 'auto')} or ${option('best')}.`,
    )
  if (!/\.(svg|html)$/.test(plot))
    throw new InputError('option', `${plot}: the plot of ranks is .svg or .html.`)
}

/**
 * Writes a plot of errors against ranks, as .svg or .html by the ending of the path.
 * @param chosen one of the trials, which is marked
 */
export async function writeRankPlot(
  path: string,
  trials: readonly { rank: number; rmse: number; spread: number }[],
  chosen: { rank: number; rmse: number; spread: number },
): Promise<void> {
  const { rankPlot } = await import('../../../report/rankPlot.ts')
  const text = await rankPlot(trials, chosen, path.endsWith('.svg') ? 'svg' : 'html')
  await writeFileWhole(path, [new TextEncoder().encode(text)])
}

/** Writes a plot of all trials of a search, as .svg or .html by the ending of the path. */
export async function writeTrialPlot(
  path: string,
  { trials, chosen, combined }: FoldChoice,
  train: SparseTensor,
): Promise<void> {
  const { trialPlot } = await import('../../../report/trialPlot.ts')
  const weights = new Map(combined?.map(({ trial, weight }) => [trialName(trial), weight]))
  if (!combined) weights.set(trialName(chosen), 1)
  const drawn = trials.map((trial) => {
    const { rmse, spread, isScreening, folds } = trial
    const words = trialWords(trial, train)
    const name = isScreening ? `${words} (${folds} folds)` : words
    return { name, rmse, spread, weight: isScreening ? undefined : weights.get(trialName(trial)) }
  })
  const text = await trialPlot(drawn, path.endsWith('.svg') ? 'svg' : 'html')
  await writeFileWhole(path, [new TextEncoder().encode(text)])
}
