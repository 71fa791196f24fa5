/**
 * The processes of a command: this one, or those that mpirun has started. Of several, the root (rank 0) alone
 * prints and writes files, and all end together.
 */
import { writeSync } from 'node:fs'
import { type Command, CommanderError } from 'commander'
import { InputError } from 'lacuna'
import {
  abortJob,
  type CpuEngine,
  cpuEngine,
  launchedProcesses,
  launchedRank,
  mpiEngine,
  option,
  sentence,
} from 'lacuna/internal'
import { type Progress, startProgress } from '../print/terminal.ts'
import { type EngineName, type LocalEngine, openEngine } from './engines.ts'
import { explainFailure, Interrupted } from './failure.ts'

/** Options by which an engine is opened. */
export interface EngineChoice {
  /** Number of CPU threads of a process. */
  threads: number
  /** Least number of partitions of a process. */
  parts?: number
  /** Path of the MPI library, if it is not found by itself. */
  mpiLibrary?: string
  /** The value of --engine; cpu by default. */
  engine?: EngineName
  /** Called with notices about the engine. */
  onRemark?: (sentence: string) => void
}

/** Whether mpirun has started several processes. */
const isJob = launchedProcesses() > 1

/** True on rank 0, the only process that prints and writes files. */
export const isRoot = !isJob || launchedRank() === 0

/** Commands that all processes work on. */
const distributedCommands = new WeakSet<Command>()

/** Marks a command to run on all processes, not on the root alone; adds --mpi-library and returns it. */
export function runOnAllProcesses(command: Command): Command {
  distributedCommands.add(command)
  return command.option('--mpi-library <file>', 'the MPI library of mpirun, if it is not found by itself')
}

/** Ends this process if the command runs on the root alone and this is another process. */
export function exitUnlessNeeded(command: Command): void {
  if (!isRoot && !distributedCommands.has(command)) process.exit(0)
}

/** Makes the progress of a command: shown by the root, silent on other processes. */
export const startRootProgress = (quiet: boolean): Progress =>
  isRoot ? startProgress(quiet) : { update: () => {}, say: () => {}, insist: () => {}, end: () => {} }

/**
 * Delay before a process that cannot join the job prints why: if the root cannot join either, it has printed
 * by then, and mpirun has ended the others.
 */
const JOIN_FAILURE_DELAY_MS = 2000

/** Waits until the root has printed the error that keeps it from joining the job, if it has one. */
const waitForRoot = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, JOIN_FAILURE_DELAY_MS))

/**
 * Prints an error and returns the exit code. An error of all processes is printed by the root; an error of
 * another process alone, which was started with other arguments, by that process.
 */
export async function reportFailure(error: unknown): Promise<number> {
  const isUsers = error instanceof InputError || error instanceof CommanderError
  if (isRoot || !isUsers || (error instanceof CommanderError && error.exitCode === 0))
    return explainFailure(error)
  await waitForRoot()
  // The output of commander is off here.
  return explainFailure(
    withProcessNumber(error instanceof InputError ? error : new InputError('option', error.message)),
  )
}

/** Time that failed processes wait for one another before one of them aborts the job. */
const CLOSE_TIMEOUT_MS = 10_000

/** Adds the number of this process to the message of an InputError; other errors stay. */
const withProcessNumber = (error: unknown): unknown =>
  error instanceof InputError
    ? error.within(`process ${launchedRank() + 1} of ${launchedProcesses()}`)
    : error

/**
 * Opens the engine of --engine, works on it, closes it and returns the result. On several processes it is the
 * CPU engine over all of them, and an unexpected error of one process aborts the job.
 */
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

/**
 * Opens the CPU engine over all processes, works on it, closes it and returns the result. An unexpected error
 * of one process aborts the job.
 */
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
    await waitForRoot()
    throw new Interrupted(explainFailure(withProcessNumber(error)))
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
    // All processes have this error and close together; if one does not, the job is aborted.
    const timer = setTimeout(() => end(explainFailure(error)), CLOSE_TIMEOUT_MS)
    await engine.close()
    clearTimeout(timer)
    throw isRoot ? error : new Interrupted(0)
  }
  await engine.close()
  return result
}
