/** The method of a run by its settings: the paper's or the fast one. */
import type { LoadedProblem } from '../../engine/engine.ts'
import type { RunOptions } from '../settings/options.ts'
import type { Settings } from '../settings/settings.ts'
import { type FastState, fastMethod } from './fast.ts'
import type { Method } from './method.ts'
import { type PaperState, paperMethod } from './paper.ts'

/** The method of a run: the fast one or the paper's. */
export type RunMethod = Method<FastState | PaperState>

/** Makes the method of `settings.solver` for a problem. */
export function methodOf(settings: Settings, problem: LoadedProblem, { features }: RunOptions): RunMethod {
  const method =
    settings.solver === 'fast' ? fastMethod(settings, problem, features !== undefined) : paperMethod(settings)
  return method as RunMethod
}
