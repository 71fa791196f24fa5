/** The long part of `complete`: a run with progress, checkpoints beside its output, and an end in order at a signal. */
import { rm } from 'node:fs/promises'
import { decodeRun, InputError, type RunOptions, type SparseTensor } from 'lacuna'
import {
  type Choice,
  type Chosen,
  type Communicator,
  chooseSettings,
  choosesByDefault,
  countEntries,
  FileRun,
  isSearch,
  openInput,
  option,
  readWhole,
  sentence,
  settingsOf,
  type Trial,
} from 'lacuna/internal'
import { figure } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'
import { asFlag } from '../../process/failure.ts'
import { fileExists } from '../../process/fileExists.ts'
import { invocation } from '../../process/invocation.ts'
import type { Interruption } from '../../process/signals.ts'
import { epochLine } from './epochLine.ts'
import { asChosen, trialName } from './sideInformation.ts'

export interface LearningOptions {
  /** Where the model will go. */
  output?: string
  resume?: boolean
  /** In seconds; 0 for never. */
  checkpointEvery: number
  /** Whether the checkpoint that is there is of the trials before this run. */
  isOwn?: boolean
  /** Whether settings are tried first; by default where something was given that may hurt. */
  choose?: boolean
}

/** Beside the model that is to come. */
export const checkpointOf = (output: string): string => `${output}.run`

/**
 * Starts or resumes a run and advances it to its end, or to a signal: then it is saved. Close it when done with it.
 * @param communicator the processes that do this together
 */
export async function learn(
  tensor: SparseTensor,
  settings: RunOptions,
  { output, resume = false, isOwn = false, checkpointEvery, choose }: LearningOptions,
  { signal, protect }: Interruption,
  progress: Progress,
  communicator: Communicator,
): Promise<{ run: FileRun; choice?: Choice }> {
  const path = output === undefined ? undefined : checkpointOf(output)
  const opening = { tensor, options: { ...settings, signal }, path, resume, isOwn, choose }
  const { run, choice } = await openRun(opening, progress, communicator)
  // A signal may reach one process before the others.
  const isAborted = async (): Promise<boolean> =>
    (await communicator.sumNumbers(signal.aborted ? 1 : 0))[0] > 0
  try {
    const line = epochLine({
      entries: await countEntries(communicator, tensor),
      epochs: run.settings.epochs,
      seconds: settings.seconds,
    })
    const isKept = path !== undefined && checkpointEvery > 0
    let saved = run.seconds
    while (!run.stopped && !(await isAborted())) {
      const left = isKept ? Math.max(0, saved + checkpointEvery - run.seconds) : Infinity
      const report = await run.advance({ seconds: left })
      if (report) progress.update(line(report))
      if (isKept && run.seconds - saved >= checkpointEvery) {
        await protect(() => saveCheckpoint(run, path, progress))
        saved = run.seconds
      }
    }
    progress.end()
    // What was interrupted before it began has nothing to go on from.
    if (!run.stopped && path !== undefined && run.epoch > 0)
      await protect(() => saveCheckpoint(run, path, progress))
    return { run, ...(choice && { choice }) }
  } catch (error) {
    await run.close()
    throw error
  }
}

interface Opening {
  tensor: SparseTensor
  options: RunOptions
  path: string | undefined
  resume: boolean
  isOwn: boolean
  choose: boolean | undefined
}

async function openRun(
  { tensor, options, path, resume, isOwn, choose }: Opening,
  progress: Progress,
  communicator: Communicator,
): Promise<{ run: FileRun; choice?: Choice }> {
  const isThere =
    path !== undefined &&
    (await communicator.broadcastText(0, async () => String(await fileExists(path)))) === 'true'
  const chooses = mayChoose(options, choose, progress, communicator)
  if (resume && isThere) {
    const run = await resumeFrom(path, tensor, withDefaults(options), chooses, communicator)
    progress.say(`Going on from ${path}, after ${Number(run.epoch.toFixed(1))} epochs.`)
    return { run }
  }
  if (resume) progress.say(`There is no ${path} to go on from: starting from the beginning.`)
  else if (isThere && !isOwn) tellOf(path, progress)
  const onTrial = (trial: Trial): void =>
    progress.update(`Trying ${trialName(trial)}: RMSE ${figure(trial.rmse)} on what is held out`)
  const chosen: Chosen = chooses ? await chooseSettings(tensor, options, { onTrial }) : { options }
  const { choice, state } = chosen
  const run = state
    ? await FileRun.resume(state, tensor, chosen.options)
    : await FileRun.start(tensor, chosen.options)
  return { run, ...(choice && { choice }) }
}

/** Several processes have a share of the entries each, of which none sees how cells are missing. */
function mayChoose(
  options: RunOptions,
  choose: boolean | undefined,
  progress: Progress,
  communicator: Communicator,
): boolean {
  const asked = choose ?? choosesByDefault(options)
  const isDistributed = communicator.size > 1
  if (asked && isDistributed)
    progress.say('Several processes use noise, lags and features as they are given, and try nothing first.')
  return asked && !isDistributed
}

/** The same command has the same settings: what it leaves out is the default, and not what was saved. */
function withDefaults(options: RunOptions): RunOptions {
  const { epochs, seconds, patience, ...decisive } = settingsOf(options)
  return { ...options, ...decisive, ...(options.validation && { patience }) }
}

/** The first process reads the checkpoint, and the others have it from there: it lies where the model will. */
async function resumeFrom(
  path: string,
  tensor: SparseTensor,
  options: RunOptions,
  chooses: boolean,
  communicator: Communicator,
): Promise<FileRun> {
  const own = await communicator.runOnRoot(async () => readWhole(await openInput(path)))
  const bytes = await communicator.broadcastBytes(own ?? new Uint8Array(0))
  if (isSearch(bytes))
    throw new InputError(
      'checkpoint',
      sentence`${path} is of folds; go on with ${option('folds')}, ${option('rank', 'auto')} or ${option('best')}, as it was begun, or start anew.`,
    )
  const state = decodeRun(bytes, path)
  return FileRun.resume(state, tensor, chooses ? asChosen(options, state) : options)
}

const tellOf = (path: string, progress: Progress): void =>
  progress.say(
    `${path} is left from a run that was interrupted, and will be replaced; --resume would go on with it.`,
  )

/** Says so if there is a checkpoint that nobody wants to go on from. */
export async function tellLeftover(path: string, progress: Progress): Promise<void> {
  if (await fileExists(path)) tellOf(path, progress)
}

/** The checkpoint to go on from; says so if there is none. */
export async function readCheckpoint(path: string, progress: Progress): Promise<Uint8Array | undefined> {
  if (await fileExists(path)) return readWhole(await openInput(path))
  progress.say(`There is no ${path} to go on from: starting from the beginning.`)
  return undefined
}

const saveCheckpoint = (run: FileRun, path: string, progress: Progress): Promise<void> =>
  saveOrSay(() => run.save(path), progress)

/** A checkpoint that cannot be written is no reason to stop: the one before it stays. */
export async function saveOrSay(save: () => Promise<void>, progress: Progress): Promise<void> {
  try {
    await save()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    progress.say(`The checkpoint could not be written, and the run goes on without: ${error.in(asFlag)}`)
  }
}

/** When the model is safe. */
export async function removeCheckpoint(output: string): Promise<void> {
  await rm(checkpointOf(output), { force: true })
}

/** What to type, in the same folder, to go on; on so many processes. */
export function resumingCommand(processes = 1): string {
  const [node, script, ...args] = process.argv
  const launcher = processes > 1 ? ['mpirun', '-n', String(processes)] : []
  const words = [
    ...launcher,
    ...invocation(node, script),
    ...args.filter((arg) => arg !== '--resume'),
    '--resume',
  ]
  return words.map(quoted).join(' ')
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
