/**
 * The time limit of a cross-fit as a whole: of the search, its models, and the stages from models to an
 * ensemble, for which time is reserved by the pace at which entries were predicted so far.
 */
import type { WholeStage } from '../../../model/index.ts'

/**
 * The approximate time of the stages after the models, per entry, in predictions of an entry: measured on
 * four data sets of 46,000 to 100,000 entries, where they took 22 to 43 (intervals and errors), 20 to 60
 * (neighbours) and 10 to 30 (stability); intervals of rows without entries on three of 100,000 to 260,000.
 */
const STAGE_COST = { required: 40, neighbours: 60, emptyRows: 100, stability: 30 } as const
/** Seconds of a prediction of an entry, at USUAL_RANK, until one has been measured. */
const FIRST_PACE = 5e-7
/** The rank of models where none is given. */
const USUAL_RANK = 10
/** About how long a prediction by a model of some rank takes, in arbitrary units. */
const predictionSize = (rank: number): number => 16 + rank
/**
 * About how long it takes to fit a model per entry, in arbitrary units: modes × (8 + R + R²/64), and R³/20 per row. Rank 64
 * took 4 to 10 times as long as rank 10 on six data sets of few rows; rank 32 took 7.5 times as long on 76,000 ratings in
 * 10,334 rows.
 */
export function modelSize(rank: number, dims: readonly number[], entries: number): number {
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  return dims.length * (8 + rank + rank ** 2 / 64) + ((rows / entries) * rank ** 3) / 20
}

/** The largest fraction of the time limit reserved for the stages after the models: for all stages, for required ones. */
const MOST_RESERVED = { all: 0.25, required: 0.5 } as const

/** The time limit, and what the stages after the models depend on. */
export interface DeadlineOptions {
  /** Seconds from now; Infinity for none. */
  seconds: number
  /** Number of entries that are cross-fitted. */
  entries: number
  /** Whether an ensemble is assembled after the search. */
  isEnsemble: boolean
  /** Signal that ends the fitting of models; the stages after them follow. None by default. */
  finish?: AbortSignal
  /** The clock, in milliseconds; `performance.now` by default. */
  now?: () => number
}

/** The clock of a time limit, and what is reserved of it. */
export class Deadline {
  readonly #options: DeadlineOptions
  readonly #now: () => number
  readonly #start: number
  /** All measurements of the seconds of a prediction of an entry at USUAL_RANK. */
  readonly #paces: number[] = []
  /** Ranks of the models, one of each trial, of which an ensemble would be made now. */
  combined: readonly number[] = [USUAL_RANK]
  /** Seconds that are reserved for models of all entries after the search; 0 by default. */
  reservedSeconds = 0

  constructor(options: DeadlineOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#start = this.#now()
  }

  /** Seconds until the end; negative after it, Infinity if there is no limit. */
  get secondsLeft(): number {
    return this.#options.seconds - (this.#now() - this.#start) / 1000
  }

  /** Whether `finish` was aborted, which ends the search before its time. */
  get #isFinishing(): boolean {
    return this.#options.finish?.aborted ?? false
  }

  /** Seconds until models must be there, if all stages after them are to follow. */
  get secondsForModels(): number {
    const all = STAGE_COST.required + STAGE_COST.neighbours + STAGE_COST.stability
    const reserved = Math.min(MOST_RESERVED.all * this.#options.seconds, this.#secondsOf(all))
    return Math.min(this.mostSecondsForModels, this.#secondsWithout(reserved))
  }

  /** Seconds until models must be there, if nothing but what intervals need is to follow. */
  get mostSecondsForModels(): number {
    const required = this.#secondsOf(STAGE_COST.required)
    return this.#secondsWithout(Math.min(MOST_RESERVED.required * this.#options.seconds, required))
  }

  /** Seconds left for models. @param reserved seconds for an ensemble of them, if there will be one */
  #secondsWithout(reserved: number): number {
    const { seconds, isEnsemble } = this.#options
    if (this.#isFinishing) return 0
    if (seconds === Infinity) return Infinity
    return this.secondsLeft - this.reservedSeconds - (isEnsemble ? reserved : 0)
  }

  /** Measures the pace by the time that a number of predictions took by a model of some rank. */
  notePredictions(entries: number, seconds: number, rank = USUAL_RANK): void {
    const atUsualRank = (seconds * predictionSize(USUAL_RANK)) / predictionSize(rank)
    this.#paces.push(atUsualRank / Math.max(1, entries))
  }

  /**
   * Seconds of a prediction of an entry at USUAL_RANK: the median, since the first ones are slower, as may be some by chance,
   * but on a computer that has other work all are.
   */
  get #pace(): number {
    if (this.#paces.length === 0) return FIRST_PACE
    return this.#paces.toSorted((a, b) => a - b)[Math.floor((this.#paces.length - 1) / 2)]
  }

  /**
   * Whether there is time for a stage after the models, and for those that must follow.
   * @param ranks of the models, one of each trial, that are combined; `combined` by default
   */
  hasTimeFor(stage: WholeStage, ranks = this.combined): boolean {
    const cost = STAGE_COST[stage] + (stage === 'stability' ? 0 : STAGE_COST.required)
    return this.#isFinishing || this.secondsLeft > this.#secondsOf(cost, ranks)
  }

  /** Whether a part of a stage that takes this number of seconds leaves what is reserved for models after it. */
  hasSeconds(seconds: number): boolean {
    return this.#isFinishing || this.secondsLeft - this.reservedSeconds > seconds
  }

  /** Whether there is time for a model that takes about this number of seconds, after the ensemble is assembled. */
  hasTimeForRefit(seconds: number): boolean {
    return !this.#isFinishing && this.secondsLeft > seconds
  }

  /** Whether there is time for the stages that intervals need: half of what they are expected to take. */
  get hasTimeForIntervals(): boolean {
    return this.#isFinishing || this.secondsLeft > this.#secondsOf(STAGE_COST.required) / 2
  }

  /** Seconds of a stage. @param cost in predictions per entry @param ranks of the models that are combined */
  #secondsOf(cost: number, ranks = this.combined): number {
    const sizes = ranks.reduce((sum, rank) => sum + predictionSize(rank), 0)
    return (cost * this.#options.entries * this.#pace * sizes) / predictionSize(USUAL_RANK)
  }
}
