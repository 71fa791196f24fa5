/**
 * How much to sample, and what to do with it. Small samples make fast progress while the model is far off; when
 * their noise holds the error up, larger ones are needed, in the end all entries. The schedule climbs a ladder of
 * stages: when progress has slowed it tries the next stage for two rounds, and stays if that makes clearly more
 * progress for its cost. In a swamp, where progress is slow for other reasons, it goes back and waits longer each time.
 *
 * Decisions rest on the probe error and on what the engine says a stage costs, never on the clock: the same seed must
 * give the same factors on any machine of a kind.
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

/** c of the first samples of solved rows; above 1 where even all entries are fewer than it asks for. */
export const sampleOfRows = (rows: readonly number[], entries: number, rank: number): number =>
  (FIRST_SAMPLE.newton * rank * Math.max(...rows)) / entries

/** rows: per mode, those that have entries. */
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

/** The only stage when the user has fixed c. */
export function fixedStage(sample: number, rank: number): Stage {
  if (sample === 1) return ALL
  return rank <= NEWTON_RANK
    ? { sample, kind: 'newton', momentum: MOMENTUM.newton }
    : { sample, kind: 'gradient', momentum: MOMENTUM.firstGradient }
}

/** Progress, −Δ log(error), that counts as slow for a round. */
const SLOW = 0.03
/** How much more progress per cost a trial must make to be kept. */
const GAIN = 2
const LONGEST_WAIT = 32

/** Where the schedule is: plain data. */
export interface ScheduleState {
  /** The stage's number. */
  at: number
  /** The progress per cost that a stage on trial must beat, and for how many rounds it has been tried. */
  trial?: { rate: number; rounds: number }
  /** Rounds until the next trial. */
  wait: number
  patience: number
}

export const newSchedule = (): ScheduleState => ({ at: 0, wait: 0, patience: 1 })

/** Takes note of a round of `iterations` that brought the error from `before` to `after`. costs: of each stage. */
export function observe(
  state: ScheduleState,
  costs: readonly number[],
  { before, after, iterations }: { before: number; after: number; iterations: number },
): void {
  const progress = Math.log(before / Math.max(after, 1e-30))
  const rate = progress / (iterations * costs[state.at])
  if (state.trial) {
    // The first round of a trial sheds the smaller sample's noise, whatever comes after: the second one counts.
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

/** Climbs at once, for good: this stage has let the error grow, or makes no more progress. */
export function climb(state: ScheduleState, stages: number): void {
  state.trial = undefined
  if (state.at < stages - 1) state.at++
}
