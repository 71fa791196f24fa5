/** Undo and redo: the states before and after the current one. */

/** A state with those that can be returned to. */
export interface History<S> {
  /** Earlier states, the oldest first. */
  past: readonly S[]
  present: S
  /** States that were undone, the next one first. */
  future: readonly S[]
  /** The control that made the last change, and when; undefined after undo, redo or a change that stands alone. */
  last?: { control: string; time: number }
}

/** Most states that are kept. */
const MOST_STATES = 200
/** Changes by one control within this time, in milliseconds, are one step: a slider that is moved. */
const ONE_STEP_MS = 1000

/** A history of one state. */
export const startHistory = <S>(present: S): History<S> => ({ past: [], present, future: [] })

/**
 * Changes the state. What was undone is dropped.
 * @param control names a control whose quick changes are one step, such as a slider; by default every change is one
 * @param time in milliseconds
 */
export function changeState<S>(history: History<S>, next: S, control?: string, time = 0): History<S> {
  const { past, present, last } = history
  const goesOn = control !== undefined && last?.control === control && time - last.time < ONE_STEP_MS
  return {
    past: goesOn ? past : [...past, present].slice(-MOST_STATES),
    present: next,
    future: [],
    last: control === undefined ? undefined : { control, time },
  }
}

/** Returns to the state before; the history itself if there is none. */
export function undo<S>(history: History<S>): History<S> {
  const { past, present, future } = history
  if (past.length === 0) return history
  return { past: past.slice(0, -1), present: past[past.length - 1], future: [present, ...future] }
}

/** Returns to the state that was undone last; the history itself if there is none. */
export function redo<S>(history: History<S>): History<S> {
  const { past, present, future } = history
  if (future.length === 0) return history
  return { past: [...past, present], present: future[0], future: future.slice(1) }
}
