/**
 * The time limit of a cross-fit as a whole: of the search, its models, and the stages from models to an
 * ensemble, for which time is reserved by the pace at which entries were predicted so far.
 */
import type { OptionalStage } from '../../model/index.ts'

/**
 * Predictions of an entry, about, that the stages after the models take as long as, per entry: measured on
 * four data sets of 46,000 to 100,000 entries, where they took 22 to 43 (intervals and errors), 20 to 60
 * (neighbours) and 10 to 30 (stability); intervals of rows without entries on three of 100,000 to 260,000.
 */
const STAGE_COST = { required: 40, neighbours: 60, emptyRows: 100, stability: 30 } as const
/** Seconds of a prediction of an entry, at USUAL_RANK, as long as none has been measured. */
const FIRST_PACE = 5e-7
/** The rank of models where none is given. */
const USUAL_RANK = 10
/** About how long a prediction by a model of some rank takes, in arbitrary units. */
const predictionSize = (rank: number): number => 16 + rank
/** The most of the whole time that is reserved for the stages after the models: for all, for those required. */
const MOST_RESERVED = { all: 0.25, required: 0.5 } as const

/** What a deadline is made of. */
export interface DeadlineOptions {
  /** Seconds from now; Infinity for none. */
  seconds: number
  /** Number of entries that are cross-fitted. */
  entries: number
  /** Whether an ensemble is assembled after the search. */
  isEnsemble: boolean
  /** When aborted, models must be there at once, and all stages after them follow; none by default. */
  finish?: AbortSignal
  /** The clock, in milliseconds; `performance.now` by default. */
  now?: () => number
}

/** The clock of a time limit, and what is reserved of it. */
export class Deadline {
  readonly #options: DeadlineOptions
  readonly #now: () => number
  readonly #start: number
  /** Seconds of a prediction of an entry at USUAL_RANK, as often as they were measured. */
  readonly #paces: number[] = []
  /** Ranks of the models, one of each trial, of which an ensemble would be made now. */
  combined: readonly number[] = [USUAL_RANK]
  /** Seconds that are reserved for a model of all entries after the search; 0 by default. */
  modelSeconds = 0

  constructor(options: DeadlineOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#start = this.#now()
  }

  /** Seconds until the end; negative after it, Infinity if there is no limit. */
  get secondsLeft(): number {
    return this.#options.seconds - (this.#now() - this.#start) / 1000
  }

  /** Whether the search was asked to finish before its time. */
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
    return this.secondsLeft - (isEnsemble ? reserved : this.modelSeconds)
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
  hasTimeFor(stage: OptionalStage, ranks = this.combined): boolean {
    const cost = STAGE_COST[stage] + (stage === 'stability' ? 0 : STAGE_COST.required)
    return this.#isFinishing || this.secondsLeft > this.#secondsOf(cost, ranks)
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
