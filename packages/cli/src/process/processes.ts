/**
 * The processes that a command runs on: this one, or all that mpirun has started. Of several, rank 0 prints, and all end
 * together.
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

/** The options of a command that decide its engine. */
export interface EngineChoice {
  /** Worker threads of each process. */
  threads: number
  /** The fewest partitions of a process; 1 by default. */
  parts?: number
  /** The file of the MPI library; by default one that is installed. */
  mpiLibrary?: string
  /** The kind of engine; 'cpu' by default. */
  engine?: EngineName
  /** The value of --missing. */
  missing?: string
  /** Receives notices about the engine, such as the loss of a GPU. */
  onRemark?: (sentence: string) => void
}

const isJob = launchedProcesses() > 1

/** True in a single process and on rank 0, the only process that prints. */
export const isRoot = !isJob || launchedProcess() === 0

const shared = new WeakSet<Command>()

/** Marks a command that all processes run; other commands run on rank 0 only. */
export function onAllProcesses(command: Command): Command {
  shared.add(command)
  return command.option('--mpi-library <file>', 'the MPI library of mpirun, if it is not found by itself')
}

/** Ends this process if only rank 0 runs the command. */
export function leaveToFirst(command: Command): void {
  if (!isRoot && !shared.has(command)) process.exit(0)
}

/** Starts the progress display; it is silent in all processes but rank 0. */
export const spokenProgress = (quiet: boolean): Progress =>
  isRoot ? startProgress(quiet) : { update: () => {}, say: () => {}, insist: () => {}, end: () => {} }

/**
 * Prints an error and returns the exit code. An error of all processes is printed by rank 0; the others return 0, because mpirun
 * might otherwise end rank 0 before it has printed.
 */
export function endWith(error: unknown): number {
  const isForAll = error instanceof InputError || error instanceof CommanderError
  return !isRoot && isForAll ? 0 : explainFailure(error)
}

/** Milliseconds that a process that cannot connect waits before it prints why: if rank 0 cannot either, it prints first. */
const COURTESY_MS = 2000

/** Milliseconds that a failed process waits for the others to close, before it ends all of them. */
const PATIENCE_MS = 10_000

/** Puts the number of this process before the message of an error. */
const withProcess = (error: unknown): unknown =>
  error instanceof InputError
    ? error.within(`process ${launchedProcess() + 1} of ${launchedProcesses()}`)
    : error

/** Opens an engine, runs work on it and closes it. A failure of one process ends all of them. */
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

/** Opens the CPU engine of all processes, runs work on it and closes it. */
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
    if (isRoot) throw error
    await new Promise((resolve) => setTimeout(resolve, COURTESY_MS))
    throw new Interrupted(explainFailure(withProcess(error)))
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
    // An InputError is thrown in all processes; if the others do not close soon, this one ends them.
    const timer = setTimeout(() => end(explainFailure(error)), PATIENCE_MS)
    await engine.close()
    clearTimeout(timer)
    throw isRoot ? error : new Interrupted(0)
  }
  await engine.close()
  return result
}
