/**
 * The processes that a command runs on: this one, or all that mpirun has started. Those are one command that speaks with one
 * voice, that of the first, and ends as one.
 */
import { writeSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { InputError } from 'lacuna'
import {
  abortJob,
  type CpuEngine,
  cpuEngine,
  launchedProcess,
  launchedProcesses,
  mpiEngine,
  option,
  sentence,
} from 'lacuna/internal'
import { type Progress, startProgress } from '../print/terminal.ts'
import { type EngineName, type LocalEngine, openEngine } from './engines.ts'
import { explainFailure, Interrupted } from './failure.ts'

export interface EngineChoice {
  threads: number
  /** The fewest parts of a process. */
  parts?: number
  mpiLibrary?: string
  engine?: EngineName
  missing?: string
  /** Hears what happens to the engine on the way. */
  onRemark?: (sentence: string) => void
}

const isJob = launchedProcesses() > 1

/** Whether this process is the one that people hear. */
export const isSpeaker = !isJob || launchedProcess() === 0

const shared = new WeakSet<Command>()

/** Marks a command that all processes work on; others are left to the first. */
export function onAllProcesses(command: Command): Command {
  shared.add(command)
  return command.option('--mpi-library <file>', 'the MPI library of mpirun, if it is not found by itself')
}

/** Leaves this process, if the command is not for it. */
export function leaveToFirst(command: Command): void {
  if (!isSpeaker && !shared.has(command)) process.exit(0)
}

/** Progress as the first process shows it; the others show nothing. */
export const spokenProgress = (quiet: boolean): Progress =>
  isSpeaker ? startProgress(quiet) : { update: () => {}, say: () => {}, insist: () => {}, end: () => {} }

/**
 * Says what went wrong and gives the exit code. What is wrong for all processes the first one says; the others end as if
 * nothing were, or else mpirun might end the first before it has spoken.
 */
export function endWith(error: unknown): number {
  const isForAll = error instanceof InputError || error instanceof CommanderError
  return !isSpeaker && isForAll ? 0 : explainFailure(error)
}

/** A process that cannot join the others waits so long before it says why: if the first cannot either, it has spoken by then. */
const COURTESY_MS = 2000

/** How long the processes wait for one another at the end, before one that has failed ends all. */
const PATIENCE_MS = 10_000

/** What is wrong in one process only is said with its number. */
const named = (error: unknown): unknown =>
  error instanceof InputError
    ? error.within(`process ${launchedProcess() + 1} of ${launchedProcesses()}`)
    : error

/** Works on an engine, and closes it. What one process alone fails at ends them all. */
export async function withEngine<T>(
  choice: EngineChoice,
  work: (engine: LocalEngine) => Promise<T>,
): Promise<T> {
  if (!isJob) {
    const engine = await openEngine(choice)
    return work(engine).finally(() => engine.close())
  }
  if (choice.engine === 'gpu')
    throw new InputError(
      'option',
      sentence`Processes of mpirun work on the CPU; leave ${option('engine', 'gpu')} out.`,
    )
  return withCpuEngine(choice, work)
}

/** The CPU engine, of all processes that there are. */
export async function withCpuEngine<T>(
  { threads, parts = 1, mpiLibrary }: EngineChoice,
  work: (engine: CpuEngine) => Promise<T>,
): Promise<T> {
  if (!isJob) {
    const engine = cpuEngine({ threads, parts })
    return work(engine).finally(() => engine.close())
  }
  const library = mpiLibrary === undefined ? {} : { library: mpiLibrary }
  const engine = await mpiEngine({ threads, parts, ...library }).catch(async (error) => {
    if (isSpeaker) throw error
    await new Promise((resolve) => setTimeout(resolve, COURTESY_MS))
    throw new Interrupted(explainFailure(named(error)))
  })
  const end = async (code: number): Promise<never> => abortJob(code, mpiLibrary)
  let result: T
  try {
    result = await work(engine)
  } catch (error) {
    if (!(error instanceof InputError || error instanceof Interrupted)) {
      writeSync(2, `lacuna: process ${engine.communicator.rank + 1} of ${engine.communicator.size} fails:\n`)
      return end(explainFailure(error))
    }
    // What was wrong is wrong for all of them, and they have all come to know it; or else they are not here soon.
    const timer = setTimeout(() => end(explainFailure(error)), PATIENCE_MS)
    await engine.close()
    clearTimeout(timer)
    throw isSpeaker ? error : new Interrupted(0)
  }
  await engine.close()
  return result
}
