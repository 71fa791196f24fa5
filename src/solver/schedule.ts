/**
 * How much to sample, and what to do with it. Small samples make fast progress while the model is far off; when
 * their noise holds the error up, larger ones are needed, in the end all entries. The schedule climbs a ladder of
 * stages: when progress has slowed it tries the next stage for two rounds, and stays if that makes clearly more
 * progress for its cost. In a swamp, where progress is slow for other reasons, it goes back and waits longer each time.
 *
 * Decisions rest on the probe error and on a model of the cost, never on the clock: the same seed must give the same
 * factors on any machine.
 */
export interface Stage {
  /** c */
  sample: number
  kind: 'gradient' | 'newton'
  /** β */
  momentum: number
}

/** Up to this rank forming H costs less than what solving for the row with it gains. */
const NEWTON_RANK = 24

/** A solved row needs less of a push. The smallest samples bear less than larger ones: components would vanish. */
const MOMENTUM = { newton: 0.6, firstGradient: 0.9, gradient: 0.95 }

/** Entries that a row of the longest mode should have in the first samples, per component: see docs/solver.md. */
const FIRST_SAMPLE = { newton: 3, gradient: 0.4 }

/** With all entries at hand H pays at any rank: its cost is the same for one step as for a solution. */
const ALL: Stage = { sample: 1, kind: 'newton', momentum: MOMENTUM.newton }

/** Below this share it is worth while to sample at all. */
const LARGEST_SAMPLE = 0.6

export function ladder(dims: readonly number[], entries: number, rank: number): Stage[] {
  const kind = rank <= NEWTON_RANK ? 'newton' : 'gradient'
  const stages: Stage[] = []
  let sample = (FIRST_SAMPLE[kind] * rank * Math.max(...dims)) / entries
  for (; sample < LARGEST_SAMPLE; sample *= 2) {
    const gradient = stages.length === 0 ? MOMENTUM.firstGradient : MOMENTUM.gradient
    stages.push({ sample, kind, momentum: kind === 'newton' ? MOMENTUM.newton : gradient })
  }
  return [...stages, ALL]
}

/** The only stage when the user has fixed c. */
export function fixedStage(sample: number, rank: number): Stage {
  if (sample === 1) return ALL
  return rank <= NEWTON_RANK
    ? { sample, kind: 'newton', momentum: MOMENTUM.newton }
    : { sample, kind: 'gradient', momentum: MOMENTUM.firstGradient }
}

/** What an AO iteration costs, in nanoseconds of one core: a rough fit to measurements, only ratios matter. */
export function costOf(
  { sample, kind }: Pick<Stage, 'sample' | 'kind'>,
  dims: readonly number[],
  entries: number,
  rank: number,
): number {
  const perEntry = kind === 'newton' ? 5 + 0.7 * rank + 0.04 * rank ** 2 : 5 + 0.8 * rank
  const perRow = kind === 'newton' ? 100 + 2.5 * rank ** 2 : 50 + 2 * rank
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  return dims.length * sample * entries * perEntry + Math.min(rows, dims.length * sample * entries) * perRow
}

/** Progress, −Δ log(error), that counts as slow for a round. */
const SLOW = 0.03
/** How much more progress per cost a trial must make to be kept. */
const GAIN = 2
const LONGEST_WAIT = 32

export class Schedule {
  readonly #stages: readonly Stage[]
  readonly #costs: readonly number[]
  #at = 0
  #trial: { rate: number; rounds: number } | undefined
  #wait = 0
  #patience = 1

  constructor(stages: readonly Stage[], costs: readonly number[]) {
    this.#stages = stages
    this.#costs = costs
  }

  get stage(): Stage {
    return this.#stages[this.#at]
  }

  /** Whether there is no stage left to climb to. */
  get atTop(): boolean {
    return this.#at === this.#stages.length - 1
  }

  /** Takes note of a round of `iterations` that brought the error from `before` to `after`. */
  observe(before: number, after: number, iterations: number): void {
    const progress = Math.log(before / Math.max(after, 1e-30))
    const rate = progress / (iterations * this.#costs[this.#at])
    if (this.#trial) {
      // The first round of a trial sheds the smaller sample's noise, whatever comes after: the second one counts.
      if (++this.#trial.rounds < 2) return
      const worthIt = rate > GAIN * Math.max(0, this.#trial.rate)
      this.#trial = undefined
      if (worthIt) this.#patience = 1
      else {
        this.#at--
        this.#patience = Math.min(LONGEST_WAIT, 2 * this.#patience)
        this.#wait = this.#patience
      }
    } else if (this.#wait > 0) this.#wait--
    else if (!this.atTop && progress < SLOW) {
      this.#trial = { rate, rounds: 0 }
      this.#at++
    }
  }

  /** Climbs at once, for good: this stage has let the error grow. */
  climb(): void {
    this.#trial = undefined
    if (!this.atTop) this.#at++
  }
}
