import { type Course, checkFinite } from './course.ts'
import type { Settings } from './options.ts'
import { type StopReason, stopRule } from './stopping.ts'

/** Algorithm 2 as the paper has it. */
export async function solveByPaper(course: Course, settings: Settings): Promise<StopReason> {
  const { maxInner } = settings
  const [sample, lambda] = [Number(settings.sample), Number(settings.lambda)]
  const shouldStop = stopRule(settings)
  let stopped: StopReason | undefined
  for (let epoch = 1; stopped === undefined; epoch++) {
    // An epoch accesses as many entries as there are: 1/c AO iterations, rounded so that rounding never adds up.
    const count = Math.max(1, Math.round(epoch / sample) - course.k)
    const whole = await course.iterate(count, sample, lambda, { kind: 'paper', maxInner })
    const report = { ...(await course.look('train', sample, lambda)), epoch }
    checkFinite(report)
    if (whole) {
      course.report(report)
      stopped = shouldStop(report)
    } else {
      stopped = 'aborted'
    }
    // With validation entries the best factors count, without them the last.
    if (report.validation) await course.keepIfBetter(report)
    else if (stopped) await course.keep(report)
  }
  return stopped
}
