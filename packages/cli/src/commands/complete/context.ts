/** The state that the steps of `lacuna complete` share, so that each takes one object. */
import type { RunOptions } from 'lacuna'
import type { Communicator } from 'lacuna/internal'
import type { Progress } from '../../print/terminal.ts'
import type { LocalEngine } from '../../process/engines.ts'
import type { Interruption } from '../../process/signals.ts'
import type { CompleteOptions } from './completeOptions.ts'
import type { Entries } from './entries.ts'
import type { EntrySets } from './heldOutSets.ts'

/** One invocation of `lacuna complete`, before any entry is read. */
export interface CompleteContext {
  /** Paths of the input, as typed. */
  readonly files: readonly string[]
  /** Options as parsed from the command line. */
  readonly options: CompleteOptions
  /** Engine that the model is learned on. */
  readonly engine: LocalEngine
  /** The processes of the job: this one alone, or those of mpirun. */
  readonly communicator: Communicator
  /** Reading, splitting and counting of entries, over all processes. */
  readonly entries: Entries
  /** Progress lines and notices on stderr. */
  readonly progress: Progress
  /** When the command began, in milliseconds of performance.now(). */
  readonly begun: number
}

/** One invocation of `lacuna complete` whose entries have been read and whose settings are resolved. */
export interface LearningContext extends CompleteContext {
  /** Training entries and held-out entries, all with the same dims. */
  readonly sets: EntrySets
  /** Settings of the solver, with engine, reshaping, features and initial model. */
  readonly settings: RunOptions
  /** Seconds from the start of reading until all entries were in memory. */
  readonly readingSeconds: number
  /** Planned memory of the job, in bytes. */
  readonly plannedMemory: number
  /** State of the signals (Ctrl-C, SIGTERM, SIGHUP) that end the command in order. */
  readonly interruption: Interruption
}
