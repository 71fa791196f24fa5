import type { Engine, EntrySet, ErrorSums } from '../../engine/engine.ts'
import { type CompleteOptions, type Completion, complete } from '../../solver/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { Curve } from '../results.ts'

/**
 * Completes a tensor and watches the error on hidden entries from behind: the engine measures it whenever the solver
 * asks for its own error. Given as validation entries, they would choose the factors, λ and the end.
 */
export async function completeWatched(
  tensor: SparseTensor,
  hidden: SparseTensor,
  engine: Engine,
  options: CompleteOptions,
): Promise<{ completion: Completion; curve: Curve }> {
  const curve: Curve = { epoch: [], seconds: [], observed: [], hidden: [] }
  const watched = watch(engine, hidden)
  const completion = await complete(tensor, {
    ...options,
    engine: watched.engine,
    onEpoch: (report) => {
      curve.epoch.push(digits(report.epoch))
      curve.seconds.push(digits(report.updateSeconds))
      curve.observed.push(digits(report.train.relative))
      curve.hidden.push(digits(watched.hiddenError()))
      options.onEpoch?.(report)
    },
  })
  return { completion, curve }
}

function watch(engine: Engine, hidden: SparseTensor): { engine: Engine; hiddenError: () => number } {
  const norm = Math.sqrt(hidden.values.reduce((sum, x) => sum + x * x, 0))
  let valueScale = 1
  let latest: ErrorSums = { squares: 0, absolutes: 0 }
  return {
    hiddenError: () => Math.sqrt(latest.squares) / (valueScale * norm),
    engine: {
      load: (problem) => {
        valueScale = problem.valueScale
        return engine.load({ ...problem, validation: hidden })
      },
      writeFactors: (factors) => engine.writeFactors(factors),
      readFactors: () => engine.readFactors(),
      iterate: (run) => engine.iterate(run),
      stop: () => engine.stop(),
      error: async (entries: EntrySet) => {
        latest = await engine.error('validation')
        return engine.error(entries)
      },
      close: () => engine.close(),
    },
  }
}

/** Six digits: more would only make the file longer. */
const digits = (x: number): number => Number(x.toPrecision(6))
