/**
 * The model of a run: its best factors in data units, with the prior, the statistics of the entries, and a
 * training record.
 */

import { version } from '../../base/version.ts'
import { CpModel, type CpModelFields, type ErrorSummary } from '../../model/index.ts'
import { type Observed, reshapedModes, resolveReshaping, withZeros } from '../../tensor/index.ts'
import { heldOutErrors } from '../methods/errorMeter.ts'
import { priorInDataUnits } from '../methods/prior.ts'
import { coupledModes } from '../settings/sideInformation.ts'
import { scaleInPlace } from './initial.ts'
import { errorsInDataUnits, linkOf, meanOnLinkScale } from './modelLink.ts'
import type { OpenedRun } from './openedRun.ts'
import { type EpochReport, errorInDataUnits, scoreOf } from './report.ts'
import { measureRound } from './rounds.ts'
import { epochsOf, type Progress } from './runState.ts'

/** Factors in the engine's units, as a copy of the engine's, and the report on them. */
export interface BestFactors {
  /** Per mode, (I_i × R). */
  factors: readonly Float32Array[]
  /** The errors of these factors. */
  report: EpochReport
}

/**
 * Reads the best factors so far from the engine: the snapshot, or in the middle of a round the current
 * factors if they are better.
 */
export async function bestFactors(run: OpenedRun): Promise<BestFactors> {
  const { round, best } = run.progress
  if (round && round.done > 0) {
    const report = await measureRound(run, round)
    if (scoreOf(report) < scoreOf(best)) return { factors: await run.problem.readFactors(), report }
  }
  return { factors: await run.problem.readFactors('snapshot'), report: best }
}

/**
 * Measures the error of factors on all training entries, for methods whose reports are on a sample of them.
 * The engine's state is overwritten if the run has ended, else unchanged.
 * @param factors in the engine's units
 */
export async function measureTrainError(
  { problem, progress }: OpenedRun,
  factors: readonly Float32Array[],
): Promise<ErrorSummary> {
  const { statistics } = problem
  // A run that can continue must find its state unchanged.
  const state = progress.stopped ? undefined : await problem.readState()
  await problem.writeFactors(factors)
  const { sums } = await problem.errors(['train'])
  if (state) await problem.writeState(state)
  return errorInDataUnits(sums[0], statistics.sets.train, statistics)
}

/**
 * Makes a model in data units of factors, which it scales in place, and the report on them; reads the learned
 * prior if they have one. Returns it with its errors: those of the report, or with a link, in data units,
 * those of its predictions of all entries.
 */
export async function modelOf(
  run: OpenedRun,
  { factors, report }: BestFactors,
): Promise<{ model: CpModel; errors: Pick<EpochReport, 'train' | 'validation' | 'watch'> }> {
  const { problem, progress, tensor, settings } = run
  const { statistics } = problem
  run.observed ??= problem.observed(run.tensor)
  const observed = await run.observed
  const learned = isFromPriorSweep(progress, report) ? await problem.readPrior() : undefined
  const mean = settings.link === 'identity' ? observed.mean : meanOnLinkScale(statistics)
  const modes = reshapedModes(resolveReshaping(settings, tensor), tensor.dims)
  const coupled = coupledModes(tensor, modes, settings)
  const prior = learned && priorInDataUnits(learned, statistics, mean, coupled)
  const link = linkOf(settings, statistics, report.train.rmse, prior)
  const model = makeModel(run, { factors, report }, observed, { prior, link })
  if (!link) return { model, errors: { train: report.train, ...heldOutErrors(report) } }
  const errors = await errorsInDataUnits(run, model)
  Object.assign(model.training, errors)
  return { model, errors }
}

/**
 * Makes a model in data units, with a training record of settings and errors.
 * @param observed statistics of the entries
 * @param learned the prior, undefined if none was learned, and the link, undefined if there is none
 */
function makeModel(
  { tensor, settings: allSettings, problem, progress }: OpenedRun,
  { factors, report }: BestFactors,
  observed: Observed,
  learned: Pick<CpModelFields, 'prior' | 'link'>,
): CpModel {
  const { dims, labels, modes, valueName } = tensor
  const { mergeModes, split, link, ...settings } = allSettings
  const {
    statistics: { factorScale, emptyRows },
    backend,
  } = problem
  const { iterations, seconds, stopped = 'aborted' } = progress
  const zeros = settings.missing === 'zero'
  return new CpModel({
    dims,
    rank: settings.rank,
    factors: factors.map((factor) => scaleInPlace(factor, 1 / factorScale)),
    reshaping: { mergeModes, split },
    labels,
    modes,
    // With missing: 'zero' every row is observed.
    unobserved: zeros ? emptyRows.map(() => new Uint32Array()) : emptyRows,
    observed: zeros ? withZeros(observed, dims) : observed,
    ...learned,
    training: withoutInfinity({
      version,
      ...(backend !== undefined && { engine: backend }),
      ...settings,
      ...(learned.link && { link }),
      epochs: epochsOf(progress),
      iterations,
      seconds,
      stopped,
      finalSample: report.sample,
      finalLambda: report.lambda,
      train: report.train,
      ...heldOutErrors(report),
      ...(valueName !== undefined && { value: valueName }),
    }),
  })
}

/**
 * Whether a report is on factors of a sweep under the learned prior: each sweep is an epoch, and they are the
 * last ones of a run.
 */
function isFromPriorSweep({ method, epoch }: Progress, report: EpochReport): boolean {
  const sweeps = 'priorSweeps' in method ? (method.priorSweeps ?? 0) : 0
  return report.epoch > epoch - sweeps + 0.5
}

/** A copy of the record without limits that are off: JSON has no Infinity. */
const withoutInfinity = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== Infinity))
