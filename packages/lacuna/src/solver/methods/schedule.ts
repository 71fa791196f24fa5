/**
 * The schedule of sample sizes: how much to sample, and what to do with it. Small samples make fast progress
 * while the model is far off; when their noise holds the error up, larger ones are needed, in the end all
 * entries. The schedule climbs a ladder of stages: when progress has slowed it tries the next stage for two
 * rounds, and stays if that makes clearly more progress for its cost. In a swamp, where progress is slow for
 * other reasons, it goes back and waits longer each time.
 *
 * Decisions depend on the probe error and the engine's cost model, never on the clock: the same seed must
 * give the same factors on any machine.
 */

/** A sample fraction with a kind of step and a momentum. */
export interface Stage {
  /** c, the fraction of each row's entries that a step uses. */
  sample: number
  /** Gradient step, or rows solved with H. */
  kind: 'gradient' | 'newton'
  /** β, the momentum. */
  momentum: number
}

/** Largest rank at which rows are solved from samples: above, forming H costs more than solving gains. */
const NEWTON_RANK = 24

/**
 * Momentum β by kind of step: solved rows need less; the smallest samples bear less, or components would
 * vanish.
 */
const MOMENTUM = { newton: 0.6, firstGradient: 0.9, gradient: 0.95 }

/**
 * Entries per component that a row of the longest mode has in the first samples, on average: see
 * docs/solver.md.
 */
const FIRST_SAMPLE = { newton: 3, gradient: 0.4 }

/**
 * The last stage, all entries: there H pays at any rank, as it costs the same for a gradient step as for a
 * solution.
 */
const ALL: Stage = { sample: 1, kind: 'newton', momentum: MOMENTUM.newton }

/** Samples above this fraction are replaced by all entries. */
const LARGEST_SAMPLE = 0.6

/** c of the first samples of solved rows; above 1 where even all entries are too few. */
export const sampleOfRows = (rows: readonly number[], entries: number, rank: number): number =>
  (FIRST_SAMPLE.newton * rank * Math.max(...rows)) / entries

/**
 * The stages for a problem, c doubling from the first samples to all entries.
 * @param rows per mode, those with entries
 */
export function ladder(rows: readonly number[], entries: number, rank: number): Stage[] {
  const kind = rank <= NEWTON_RANK ? 'newton' : 'gradient'
  const stages: Stage[] = []
  let sample = (FIRST_SAMPLE[kind] * rank * Math.max(...rows)) / entries
  for (; sample < LARGEST_SAMPLE; sample *= 2) {
    const gradient = stages.length === 0 ? MOMENTUM.firstGradient : MOMENTUM.gradient
    stages.push({ sample, kind, momentum: kind === 'newton' ? MOMENTUM.newton : gradient })
  }
  return [...stages, ALL]
}

/** The only stage if c is given. */
export function fixedStage(sample: number, rank: number): Stage {
  if (sample === 1) return ALL
  return rank <= NEWTON_RANK
    ? { sample, kind: 'newton', momentum: MOMENTUM.newton }
    : { sample, kind: 'gradient', momentum: MOMENTUM.firstGradient }
}

/** Progress of a round, −Δ log(error), below which it is slow. */
const SLOW = 0.03
/** Ratio of progress per cost by which a stage on trial must be better. */
const GAIN = 2
/** Most rounds between two trials. */
const LONGEST_WAIT = 32

/** The state of the schedule; plain data, saved as JSON under these names. */
export interface ScheduleState {
  /** Index of the current stage. */
  at: number
  /** The progress per cost that a stage on trial must beat, and for how many rounds it has been tried. */
  trial?: { rate: number; rounds: number }
  /** Rounds until the next trial. */
  wait: number
  /** Rounds to wait after the last failed trial; doubles with each. */
  patience: number
}

/** The state before the first round. */
export const newSchedule = (): ScheduleState => ({ at: 0, wait: 0, patience: 1 })

/**
 * Updates the schedule by a round.
 * @param costs cost of an iteration in each stage
 * @param round its AO iterations, and the error before and after it
 */
export function observe(
  state: ScheduleState,
  costs: readonly number[],
  { before, after, iterations }: { before: number; after: number; iterations: number },
): void {
  const progress = Math.log(before / Math.max(after, 1e-30))
  const rate = progress / (iterations * costs[state.at])
  if (state.trial) {
    // The first round of a trial removes the noise of the smaller samples in any case: only the second one
    // counts.
    if (++state.trial.rounds < 2) return
    const isWorthIt = rate > GAIN * Math.max(0, state.trial.rate)
    state.trial = undefined
    if (isWorthIt) state.patience = 1
    else {
      state.at--
      state.patience = Math.min(LONGEST_WAIT, 2 * state.patience)
      state.wait = state.patience
    }
  } else if (state.wait > 0) state.wait--
  else if (state.at < costs.length - 1 && progress < SLOW) {
    state.trial = { rate, rounds: 0 }
    state.at++
  }
}

/** Moves to the next stage for good: the error has grown in this one, or there is no more progress. */
export function climb(state: ScheduleState, stages: number): void {
  state.trial = undefined
  if (state.at < stages - 1) state.at++
}
