import type { Engine } from 'lacuna'
import type { Progress } from '../progress.ts'

/** Trials that share what is dear to prepare: a tensor, or engines that hold it. */
export interface Group {
  figure: string
  /** Their names, unique over all experiments and fit for files. */
  trials: readonly Trial[]
  open(progress: Progress): Promise<Session>
}

export interface Trial {
  id: string
  /** For the person who waits. */
  label: string
}

export interface Session {
  /** Does the trial at this place of the group's list and returns what is to be kept of it. */
  run(index: number, progress: Progress, signal: AbortSignal): Promise<object>
  close(): Promise<void>
}

/** Thrown by a trial that was told to stop: nothing of it is kept. */
export class Stopped extends Error {}

export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped()
}

/** The most memory that this process has taken so far. */
export const peakMemoryBytes = (): number => process.resourceUsage().maxRSS * 1024

export async function closeAll(engines: readonly Engine[]): Promise<void> {
  for (const engine of engines) await engine.close()
}
