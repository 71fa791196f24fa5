import type { Engine, EntrySet, Iterations, Step } from '../engine/engine.ts'
import type { ErrorSummary } from '../model/index.ts'
import type { CompleteOptions, Settings } from './options.ts'
import type { Scaling } from './scaling.ts'

export interface EpochReport {
  /** How often each entry has been accessed on average. The fast solver reports within epochs too: 0.25, 0.5 … */
  epoch: number
  /** Since solving began, errors included. */
  seconds: number
  /** In steps alone, errors not included. */
  updateSeconds: number
  /** Of the training entries; of a fixed sample of them with the fast solver. */
  train: ErrorSummary
  validation?: ErrorSummary
  /** c in this epoch. */
  sample: number
  lambda: number
}

/** Factors worth returning, with what was reported of them. */
export interface Candidate {
  factors: Float32Array[]
  report: EpochReport
}

/** On data scaled to about 1 any λ beyond this leaves nothing but zeros, and float32 must hold its square. */
const LARGEST_LAMBDA = 1e15

/** What both solvers share on their way: the clock, the count of iterations, the reports and the best so far. */
export class Course {
  readonly epochs: EpochReport[] = []
  best: Candidate | undefined
  /** AO iterations done. */
  k = 0
  /** Epochs done: the samples' shares added up. */
  epoch = 0
  updateSeconds = 0
  readonly #start = performance.now()
  readonly #engine: Engine
  readonly #scaling: Scaling
  readonly #measure: (name: EntrySet) => Promise<ErrorSummary>
  readonly #settings: Settings
  readonly #options: CompleteOptions

  constructor(
    engine: Engine,
    scaling: Scaling,
    measure: (name: EntrySet) => Promise<ErrorSummary>,
    settings: Settings,
    options: CompleteOptions,
  ) {
    this.#engine = engine
    this.#scaling = scaling
    this.#measure = measure
    this.#settings = settings
    this.#options = options
  }

  get seconds(): number {
    return (performance.now() - this.#start) / 1000
  }

  /** Runs AO iterations; false if it was interrupted. λ is given in the data's units. */
  async iterate(count: number, sample: number, lambda: number, step: Step): Promise<boolean> {
    const run: Iterations = {
      ...{ first: this.k, count, sample, step, seed: this.#settings.seed },
      lambda: Math.min(LARGEST_LAMBDA, lambda * this.#scaling.lambda),
    }
    const begin = this.seconds
    const done = this.#options.signal?.aborted ? 0 : await this.#engine.iterate(run)
    this.k += done
    this.epoch += done * sample
    this.updateSeconds += this.seconds - begin
    return done === count
  }

  /** Measures where we are. */
  async look(on: 'train' | 'probe', sample: number, lambda: number): Promise<EpochReport> {
    const report: EpochReport = {
      ...{ epoch: this.epoch, seconds: 0, updateSeconds: this.updateSeconds, sample, lambda },
      train: await this.#measure(on),
    }
    if (this.#options.validation) report.validation = await this.#measure('validation')
    report.seconds = this.seconds
    return report
  }

  /** Tells the user. */
  report(report: EpochReport): void {
    this.epochs.push(report)
    this.#options.onEpoch?.(report)
  }

  /** Remembers these factors if they are better: by the validation error where there is one, else by training. */
  async keepIfBetter(report: EpochReport): Promise<boolean> {
    if (this.best && scoreOf(report) >= scoreOf(this.best.report)) return false
    await this.keep(report)
    return true
  }

  async keep(report: EpochReport): Promise<void> {
    this.best = { factors: await this.#engine.readFactors(), report }
  }
}

/** Whether the factors are still numbers that mean something. */
export const hasFiniteErrors = ({ train, validation }: EpochReport): boolean =>
  Number.isFinite(train.rmse) && Number.isFinite(validation?.rmse ?? 0)

/** For where there are no better factors to go back to. */
export function checkFinite(report: EpochReport): void {
  if (!hasFiniteErrors(report)) throw new Error('The error is no longer finite.')
}

export const scoreOf = ({ train, validation }: EpochReport): number => (validation ?? train).relative
