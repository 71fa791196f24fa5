/** Groups of trials, the unit in which experiments are run. */
import type { Engine } from 'lacuna'
import type { Progress } from '../progress.ts'

/** Trials that share an expensive preparation: a tensor, or engines on which it is loaded. */
export interface Group {
  /** Name of the figure in progress lines, as in Figure 2. */
  figure: string
  /** Trials of the group, in order. */
  trials: readonly Trial[]
  /** Does the preparation; the caller closes the session. */
  open(progress: Progress): Promise<Session>
}

/** One run of an experiment, whose record is stored in a file of its own. */
export interface Trial {
  /** Unique over all experiments, and valid as a file name. */
  id: string
  /** Name in progress lines. */
  label: string
}

/** A prepared group. */
export interface Session {
  /** Runs a trial. @param index its position in the group @returns the record to be stored */
  run(index: number, progress: Progress, signal: AbortSignal): Promise<object>
  close(): Promise<void>
}

/** Thrown by a trial that was aborted; nothing of it is stored. */
export class Stopped extends Error {}

/** Throws Stopped if the signal is aborted. */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped()
}

/** Returns the largest resident memory of this process so far, in bytes. */
export const peakMemoryBytes = (): number => process.resourceUsage().maxRSS * 1024

/** Closes engines one after another. */
export async function closeAll(engines: readonly Engine[]): Promise<void> {
  for (const engine of engines) await engine.close()
}
