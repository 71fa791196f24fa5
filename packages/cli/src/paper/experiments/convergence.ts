/**
 * Figure 2: error against epochs and seconds, for several c, on data with little and much noise, and on real
 * data.
 */
import { complete, type SparseTensor, split, synthetic } from 'lacuna'
import type {
  ConvergenceProblem,
  ConvergenceResult,
  ConvergenceSeries,
  Curve,
  ExperimentSettings,
} from 'lacuna-figures/results'
import type { Progress } from '../progress.ts'
import { curveOf } from './curve.ts'
import type { RealData } from './data.ts'
import { type Group, peakMemoryBytes, Stopped } from './group.ts'

/** Sizes and solver settings of figure 2. */
type Settings = ExperimentSettings['convergence']

/** Stored record of a trial: its problem, its number from 1, and its curve. */
export interface ConvergenceRecord extends Omit<ConvergenceProblem, 'series'> {
  trial: number
  curve: Curve
}

/** Fraction of real data that is held out; for synthetic data, as many further cells are drawn. */
const HIDDEN_FRACTION = 0.05
/** Largest number of held-out cells of synthetic data. */
const MAX_HIDDEN = 50_000

/** Settings of the experiment of figure 2. */
export interface ConvergenceContext {
  settings: Settings
  seed: number
  threads: number
  /** MovieLens, if it was given. */
  real?: RealData
}

/** Settings of one curve. */
type CurveSettings = Pick<ConvergenceSeries, 'solver' | 'sample' | 'lambda'>

/**
 * Lists the settings of the curves of a panel: the paper's solver with each c, and the fast solver, which
 * chooses c and λ.
 */
function curveSettings({ samples, lambda }: Settings): CurveSettings[] {
  return [
    ...samples.map((sample): CurveSettings => ({ solver: 'paper', sample, lambda })),
    { solver: 'fast', sample: 'auto', lambda: 'auto' },
  ]
}

/** Id of a trial in the store. @param problem S1, S2 or T @param trial from 1 */
const trialId = (problem: string, { solver, sample }: CurveSettings, trial: number): string =>
  `convergence-${problem}-${solver}-${sample}-${trial}`

/** Lists the trials of figure 2, in a group for each problem and repetition. */
export function convergenceGroups(context: ConvergenceContext): Group[] {
  const { settings, real } = context
  const problems = [...settings.snrDb.map((_, s) => `S${s + 1}`), ...(real ? ['T'] : [])]
  return problems.flatMap((name) =>
    Array.from({ length: settings.trials }, (_, t) =>
      groupOf(name as ConvergenceProblem['name'], t + 1, context),
    ),
  )
}

/** The trials of one problem and repetition: one for each curve, on the same data. @param trial from 1 */
function groupOf(name: ConvergenceProblem['name'], trial: number, context: ConvergenceContext): Group {
  const { settings, seed, threads } = context
  const trials = curveSettings(settings).map((choice) => ({
    id: trialId(name, choice, trial),
    label: `${name}, ${choice.solver === 'fast' ? 'fast' : `c = ${choice.sample}`}, trial ${trial} of ${settings.trials}`,
    choice,
  }))
  return {
    figure: 'Figure 2',
    trials,
    open: async (progress) => {
      progress(`Figure 2: making ${name} for trial ${trial}`)
      const problem = await makeProblem(name, seed + trial - 1, context, progress)
      return {
        run: async (index, progress, signal) => {
          const { choice } = trials[index]
          const { data, snrDb, tensor, hidden } = problem
          const { epochs, stopped } = await complete(tensor, {
            ...choice,
            rank: settings.rank,
            epochs: settings.epochs,
            seed: seed + trial - 1,
            watch: { hidden },
            threads,
            signal,
            onEpoch: ({ epoch, train }) =>
              progress(
                `epoch ${Number(epoch.toFixed(1))} of ${settings.epochs}, error ${train.relative.toPrecision(3)}`,
              ),
          })
          if (stopped === 'aborted') throw new Stopped()
          const record: ConvergenceRecord = {
            name,
            data,
            hiddenEntries: hidden.values.length,
            snrDb,
            peakMemoryBytes: peakMemoryBytes(),
            trial,
            curve: curveOf(epochs),
          }
          return record
        },
        close: async () => {},
      }
    },
  }
}

/** Training entries of a problem, and its held-out entries. */
interface ProblemData extends Pick<ConvergenceProblem, 'data' | 'snrDb'> {
  tensor: SparseTensor
  hidden: SparseTensor
}

/**
 * Makes the data of a problem: S1 and S2 are synthetic, with noise-free held-out entries; T is real, and a
 * HIDDEN_FRACTION of its entries is held out. `snrDb` is null for T.
 */
async function makeProblem(
  name: ConvergenceProblem['name'],
  seed: number,
  { settings, real }: ConvergenceContext,
  progress: Progress,
): Promise<ProblemData> {
  if (name === 'T') {
    const { train, test } = split(await real!.read(progress), { validation: 0, test: HIDDEN_FRACTION }, seed)
    const data = { source: real!.source, dims: [...train.dims], entries: train.values.length }
    return { data, snrDb: null, tensor: train, hidden: test }
  }
  const { dims, entries, rank } = settings
  const snrDb = settings.snrDb[Number(name.slice(1)) - 1]
  const testEntries = Math.min(MAX_HIDDEN, Math.round(HIDDEN_FRACTION * entries))
  const { tensor, test } = synthetic({ dims, entries, rank, snrDb, seed, testEntries })
  return { data: { source: 'synthetic', dims: [...dims], entries }, snrDb, tensor, hidden: test! }
}

/**
 * Collects the finished trials of figure 2, by problem and settings; undefined if there are none.
 * @param read returns the record of a trial, undefined if it is not finished
 */
export async function collectConvergence(
  settings: Settings,
  read: (id: string) => Promise<object | undefined>,
): Promise<ConvergenceResult | undefined> {
  const problems: ConvergenceProblem[] = []
  for (const name of ['S1', 'S2', 'T'] as const) {
    let problem: ConvergenceProblem | undefined
    for (const choice of curveSettings(settings)) {
      const series: ConvergenceSeries = { ...choice, trials: [] }
      for (let trial = 1; trial <= settings.trials; trial++) {
        const record = (await read(trialId(name, choice, trial))) as ConvergenceRecord | undefined
        if (!record) continue
        const { curve, trial: _, ...rest } = record
        problem ??= { ...rest, series: [] }
        problem.peakMemoryBytes = Math.max(problem.peakMemoryBytes, rest.peakMemoryBytes)
        series.trials.push({ trial, curve })
      }
      if (series.trials.length > 0) problem?.series.push(series)
    }
    if (problem) problems.push(problem)
  }
  return problems.length > 0 ? { problems } : undefined
}
