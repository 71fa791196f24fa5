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
const ALL_ENTRIES: Stage = { sample: 1, kind: 'newton', momentum: MOMENTUM.newton }

/** Samples above this fraction are replaced by all entries. */
const LARGEST_SAMPLE = 0.6

/**
 * c with which solved rows begin, so that a row of the longest mode has three sampled entries per component;
 * above 1 where even all entries are too few.
 * @param rows number of rows per mode
 */
export const firstNewtonSample = (rows: readonly number[], entries: number, rank: number): number =>
  (FIRST_SAMPLE.newton * rank * Math.max(...rows)) / entries

/**
 * The stages of the schedule for a problem: c doubles from the first samples to all entries.
 * @param rows number of rows with entries, per mode
 */
export function ladder(rows: readonly number[], entries: number, rank: number): Stage[] {
  const kind = rank <= NEWTON_RANK ? 'newton' : 'gradient'
  const stages: Stage[] = []
  let sample = (FIRST_SAMPLE[kind] * rank * Math.max(...rows)) / entries
  for (; sample < LARGEST_SAMPLE; sample *= 2) {
    const gradient = stages.length === 0 ? MOMENTUM.firstGradient : MOMENTUM.gradient
    stages.push({ sample, kind, momentum: kind === 'newton' ? MOMENTUM.newton : gradient })
  }
  return [...stages, ALL_ENTRIES]
}

/**
 * The only stage of a run whose c is given: solved rows with all entries or up to rank 24, else gradient
 * steps.
 */
export function fixedStage(sample: number, rank: number): Stage {
  if (sample === 1) return ALL_ENTRIES
  return rank <= NEWTON_RANK
    ? { sample, kind: 'newton', momentum: MOMENTUM.newton }
    : { sample, kind: 'gradient', momentum: MOMENTUM.firstGradient }
}

/** Progress of a round, −Δ log(error), below which it counts as slow. */
const SLOW = 0.03
/** A stage on trial must make more than this multiple of the progress per cost of the stage before. */
const GAIN = 2
/** Most rounds that the schedule waits between two trials. */
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

/** The state of the schedule before the first round. */
export const newSchedule = (): ScheduleState => ({ at: 0, wait: 0, patience: 1 })

/**
 * Updates the schedule in place after a round: a slow round starts a trial of the next stage, which after two
 * rounds is adopted or left again; waits double with each failed trial.
 * @param costs cost of an iteration in each stage, in any unit
 * @param round its AO iterations, and the error before and after it
 */
export function updateSchedule(
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

/**
 * Moves to the next stage for good, in place: the error has grown in this one, or there is no more progress.
 * @param stages number of stages; the last one stays
 */
export function climb(state: ScheduleState, stages: number): void {
  state.trial = undefined
  if (state.at < stages - 1) state.at++
}
