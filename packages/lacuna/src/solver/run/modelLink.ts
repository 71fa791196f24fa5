/** The link of a run's model: the variance by which it predicts means, and its errors in data units. */
import type { Statistics } from '../../engine/engine.ts'
import type { CpModel, ErrorSummary, Link, Prior } from '../../model/index.ts'
import { testError } from '../../model/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { lambdaRule } from '../methods/lambda.ts'
import type { Settings } from '../settings/settings.ts'
import type { OpenedRun } from './openedRun.ts'
import type { EpochReport } from './report.ts'

/** The mean of the training values, which are not negative, on the scale of the link. */
export const meanOnLinkScale = ({ sets: { train }, valueScale }: Statistics): number =>
  train.absolutes / train.entries / valueScale

/**
 * The link of a run's model; undefined where it is learned on the values themselves. The variance of the noise
 * is that of the learned prior or, without one, the mean squared residual of the training entries (Duan's
 * smearing estimate, 1983), corrected for degrees of freedom.
 * @param rmse of the training entries, on the scale of the link
 * @param prior on the scale of the link; undefined if none was learned
 */
export function linkOf(
  { link: name, rank }: Pick<Settings, 'link' | 'rank'>,
  statistics: Statistics,
  rmse: number,
  prior: Prior | undefined,
): Link | undefined {
  if (name === 'identity') return undefined
  const { sigma2, noise, least } = prior ?? {
    sigma2: lambdaRule(statistics, rank).sigma2(rmse),
    noise: [1, 0, 0],
    least: 0,
  }
  const [c0, c1, c2] = noise
  return {
    name,
    variance: [c0 * sigma2, c1 * sigma2, c2 * sigma2],
    least,
    mean: meanOnLinkScale(statistics),
  }
}

/**
 * Measures the errors of a model in data units on all sets of a run, those of training weighted by the
 * entries' weights; on several processes all must call it.
 */
export async function errorsInDataUnits(
  { tensor, options: { engine, validation, watch } }: OpenedRun,
  model: CpModel,
): Promise<Pick<EpochReport, 'train' | 'validation' | 'watch'>> {
  const measure = (set: SparseTensor, isWeighted = true): Promise<ErrorSummary> =>
    testError(model, set, engine?.communicator, { isWeighted })
  const train = await measure(tensor)
  const watched: Record<string, ErrorSummary> = {}
  for (const [name, set] of Object.entries(watch ?? {})) watched[name] = await measure(set, false)
  return {
    train,
    ...(validation && { validation: await measure(validation) }),
    ...(watch && { watch: watched }),
  }
}
