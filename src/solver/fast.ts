import type { Engine, Step } from '../engine/engine.ts'
import { draw, purpose, stream, unit } from '../random.ts'
import { pickEntries, type SparseTensor } from '../tensor/index.ts'
import { type Course, checkFinite, type EpochReport, hasFiniteErrors, scoreOf } from './course.ts'
import { lambdaRule } from './lambda.ts'
import type { Settings } from './options.ts'
import { costOf, fixedStage, ladder, Schedule, type Stage } from './schedule.ts'
import type { StopReason } from './stopping.ts'

/** A round, between two looks at the error, is about this much of an epoch … */
const ROUND_EPOCHS = 0.25
/** … the first one this much, and each one after it twice as much as the last: at first the error falls fast. */
const FIRST_ROUND_EPOCHS = 1 / 16
/** An error this many times the best one so far is no accident: back to the best, with larger samples. */
const DIVERGED = 1.5
/** Below this relative error float32 has nothing more to say. */
const EXACT = 1e-5
/** Progress is judged over this many epochs … */
const PROGRESS_EPOCHS = 5
/** … relative to the error, or to this where the error is smaller: what is left then is not worth many epochs. */
const SMALL = 0.1
/** Damping of small samples: as if so many more entries, evenly over all components, spoke for the row as it is. */
const DAMPING = 1

/** Past the paper: rows solved with H or stepped under a bound of it, momentum across iterations, c and λ by themselves. */
export async function solveFast(
  course: Course,
  settings: Settings,
  engine: Engine,
  tensor: SparseTensor,
): Promise<StopReason> {
  const { rank } = settings
  const { dims } = tensor
  const entries = tensor.values.length
  const stages =
    settings.sample === 'auto' ? ladder(dims, entries, rank) : [fixedStage(settings.sample, rank)]
  const schedule = new Schedule(
    stages,
    stages.map((stage) => costOf(stage, dims, entries, rank)),
  )
  const chooseLambda = lambdaRule(tensor, rank)
  const settled = settledRule(settings)
  let momentumShare = 1 // halved whenever the error grows

  let report = await course.look('probe', stages[0].sample, 0)
  checkFinite(report)
  let noise = chooseLambda(noiseOf(report))
  await course.keep(report)
  for (let round = 0; ; round++) {
    const { stage } = schedule
    const lambda = settings.lambda === 'auto' ? noise : settings.lambda
    const epochs = Math.min(ROUND_EPOCHS, FIRST_ROUND_EPOCHS * 2 ** round)
    const iterations = Math.max(1, Math.round(epochs / stage.sample))
    const before = report.train.relative
    const whole = await course.iterate(iterations, stage.sample, lambda, stepOf(stage, momentumShare))
    report = await course.look('probe', stage.sample, lambda)
    // A few entries of a row can throw it beyond float32 where no λ holds it.
    const finite = hasFiniteErrors(report)
    if (whole && finite) course.report(report)
    if (finite) await course.keepIfBetter(report)
    if (!whole) return 'aborted'

    if (!finite || report.train.relative > DIVERGED * course.best!.report.train.relative) {
      await engine.writeFactors(course.best!.factors)
      report = course.best!.report
      schedule.climb()
      momentumShare /= 2
    } else {
      schedule.observe(before, report.train.relative, iterations)
      noise = (noise + chooseLambda(noiseOf(report))) / 2
    }
    const reason = settled(course, report, schedule)
    if (reason) return reason
  }
}

/**
 * The deviation of the entries from the model. Where the model fits the training entries better than others, the
 * others are nearer to the truth.
 */
function noiseOf({ train, validation }: EpochReport): number {
  return Math.max(train.rmse, validation?.rmse ?? 0)
}

/** What the engine is asked to do in a stage. */
export function stepOf(stage: Stage, momentumShare: number): Step {
  const { kind } = stage
  const momentum = stage.momentum * momentumShare
  return kind === 'newton' ? { kind, momentum, damping: DAMPING } : { kind, momentum }
}

/** Ends the work when the error has stopped improving, or the user's limits are reached. */
function settledRule(
  settings: Settings,
): (course: Course, report: EpochReport, schedule: Schedule) => StopReason | undefined {
  const { epochs, seconds, tolerance, patience } = settings
  let bestScore = Infinity
  let bestEpoch = 0
  let since = 0 // the epoch from which progress is judged: that of the last climb
  return (course, report, schedule) => {
    const { epoch } = course
    if (scoreOf(report) < bestScore) {
      bestScore = scoreOf(report)
      bestEpoch = epoch
    }
    if (report.train.relative < EXACT) return 'exact'
    if (report.validation && epoch - bestEpoch >= patience) return 'patience'
    const past = course.epochs.findLast((earlier) => earlier.epoch <= epoch - PROGRESS_EPOCHS)
    if (past && past.epoch >= since) {
      const gain = (past.train.relative - report.train.relative) / PROGRESS_EPOCHS
      const settled = gain < tolerance * Math.max(report.train.relative, SMALL)
      if (settled && schedule.atTop && tolerance > 0) return 'tolerance'
      if (settled) {
        schedule.climb()
        since = epoch
      }
    }
    if (epoch >= epochs) return 'epochs'
    if (course.seconds >= seconds) return 'seconds'
    return undefined
  }
}

/** A fixed random part of the training entries, enough to see the error by: all of them if they are few. */
export function probeOf(tensor: SparseTensor, seed: number): SparseTensor {
  const total = tensor.values.length
  const wanted = Math.max(100_000, Math.ceil(total / 50))
  if (total <= wanted) return tensor
  const key = stream(seed, purpose.probe)
  const picked: number[] = []
  for (let e = 0; e < total; e++) if (unit(draw(key, e)) < wanted / total) picked.push(e)
  return pickEntries(tensor, Uint32Array.from(picked))
}
