/** An isotropic prior for models that were trained without a learned one. */
import type { Observed } from '../../tensor/index.ts'
import type { Factored, Prior } from '../factored.ts'

/** A model with a record of its training. */
interface TrainedModel extends Factored {
  observed?: Observed
  unobserved: readonly Uint32Array[]
  training: Readonly<Record<string, unknown>>
}

/**
 * The isotropic prior that corresponds to the λ of a model's training: around the mean of the rows with
 * entries, or around zero with the paper's solver. Its kind is 'zeros' if unlisted cells were zeros in
 * training.
 */
export function lambdaPrior(model: TrainedModel): Prior {
  const { rank, factors, observed, unobserved, training } = model
  const isPaper = training.solver === 'paper'
  const lambda = nonnegativeNumber(training.finalLambda) ?? nonnegativeNumber(training.lambda) ?? 0
  const rmse = nonnegativeNumber((training.train as { rmse?: unknown } | undefined)?.rmse)
  const sigma2 = rmse === undefined || rmse === 0 ? 1 : rmse ** 2
  const precision = new Float32Array(rank * rank)
  for (let r = 0; r < rank; r++) precision[r * (rank + 1)] = lambda / sigma2
  return {
    kind: training.missing === 'zero' ? 'zeros' : 'isotropic',
    sigma2,
    noise: [1, 0, 0],
    least: 0,
    means: factors.map((factor, mode) =>
      isPaper
        ? new Float32Array(rank)
        : meanObservedRow(factor, rank, observed?.counts[mode], unobserved[mode]),
    ),
    precisions: factors.map(() => precision),
  }
}

/** The value if it is a finite nonnegative number, else undefined. */
const nonnegativeNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

/**
 * The mean row (R) of the rows with training entries; zeros if there are none.
 * @param counts entries of each row, if known
 */
function meanObservedRow(
  factor: Float32Array,
  rank: number,
  counts: Uint32Array | undefined,
  unobserved: Uint32Array,
): Float32Array {
  const unseen = new Set(unobserved)
  const sum = new Float64Array(rank)
  let rows = 0
  for (let p = 0; p * rank < factor.length; p++) {
    if (unseen.has(p) || counts?.[p] === 0) continue
    rows++
    for (let r = 0; r < rank; r++) sum[r] += factor[p * rank + r]
  }
  return Float32Array.from(sum, (x) => (rows > 0 ? x / rows : 0))
}
