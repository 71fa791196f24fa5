/** Learns the models by which `lacuna fill` fills. */
import { complete, type SparseTensor } from 'lacuna'
import type { Lags, TensorModel } from 'lacuna/internal'
import { oneLine } from '../../print/printable.ts'
import type { Progress } from '../../print/terminal.ts'
import { withSignals } from '../../process/signals.ts'
import { epochFormatter } from '../complete/report/epochFormatter.ts'
import { parameterCaution } from '../complete/verdict.ts'
import type { FillOptions } from './fillOptions.ts'

/**
 * Learns a model of the entries that are to be filled, or with --interval one by each of five folds; throws if a
 * signal interrupts it.
 * @param lags distances at which rows of time are similar; none by default
 */
export async function learnModel(
  tensor: SparseTensor,
  options: FillOptions,
  progress: Progress,
  lags?: Lags,
): Promise<TensorModel> {
  const { rank, seed, threads, interval } = options
  return withSignals(async ({ signal, outcome }) => {
    const formatEpoch = epochFormatter({ entries: tensor.values.length, epochs: 500 })
    const settings = { seed, threads, signal, rank, ...(lags && { lags, choose: false }) }
    if (interval !== undefined) {
      const result = await complete(tensor, {
        ...settings,
        folds: 5,
        onEpoch: (report, fold) => progress.update(`Model ${Number(fold) + 1}: ${formatEpoch(report)}`),
      })
      progress.end()
      if (!result) throw outcome()
      if (result.outOfFold) progress.say(oneLine(`Out of fold the error is ${result.outOfFold.verdict}.`))
      return result.model
    }
    const { model, stopped } = await complete(tensor, {
      ...settings,
      onEpoch: (report) => progress.update(formatEpoch(report)),
    })
    progress.end()
    if (stopped === 'aborted') throw outcome()
    // Intervals are for long tables.
    const way = options.melt === undefined ? '--interval 0.9' : 'lacuna complete --test 0.1'
    const caution = parameterCaution(model, tensor.values.length, undefined, way)
    if (caution) progress.say(caution)
    return model
  })
}
