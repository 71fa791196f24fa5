/** A run's factors as a model: in the units of the data, with what is known of the entries, and how it came about. */

import { version } from '../../base/version.ts'
import type { LoadedProblem } from '../../engine/engine.ts'
import { CpModel, type CpModelFields } from '../../model/index.ts'
import { type Observed, type SparseTensor, withZeros } from '../../tensor/index.ts'
import { heldOut } from '../methods/errorMeter.ts'
import type { Settings } from '../settings/settings.ts'
import { scaled } from './initial.ts'
import type { EpochReport } from './report.ts'
import type { Progress } from './runState.ts'

interface Known {
  observed: Observed
  prior: CpModelFields['prior']
  /** Of the run so far, and of these factors. */
  record: Pick<Progress, 'iterations' | 'seconds' | 'stopped' | 'epoch'> & { report: EpochReport }
}

export function learnedModel(
  { dims, labels, modes, valueName }: SparseTensor,
  { mergeModes, split, ...settings }: Settings,
  { statistics: { factorScale, emptyRows }, backend }: Pick<LoadedProblem, 'statistics' | 'backend'>,
  factors: readonly Float32Array[],
  { observed, prior, record: { iterations, seconds, stopped = 'aborted', epoch, report } }: Known,
): CpModel {
  const zeros = settings.missing === 'zero'
  return new CpModel({
    dims,
    rank: settings.rank,
    factors: factors.map((factor) => scaled(factor, 1 / factorScale)),
    reshaping: { mergeModes, split },
    labels,
    modes,
    // A row of zeros is as well known as any other.
    unobserved: zeros ? emptyRows.map(() => new Uint32Array()) : emptyRows,
    observed: zeros ? withZeros(observed, dims) : observed,
    ...(prior && { prior }),
    training: finite({
      version,
      ...(backend !== undefined && { engine: backend }),
      ...settings,
      epochs: epoch,
      iterations,
      seconds,
      stopped,
      finalSample: report.sample,
      finalLambda: report.lambda,
      train: report.train,
      ...heldOut(report),
      ...(valueName !== undefined && { value: valueName }),
    }),
  })
}

/** JSON has no Infinity: settings that are off are left out. */
const finite = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== Infinity))
