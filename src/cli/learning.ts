/** The long part of `complete`: a run with progress, checkpoints beside its output, and an end in order at a signal. */
import { rm } from 'node:fs/promises'
import { InputError } from '../inputError.ts'
import { FileRun, resumeRun } from '../solver/fileRun.ts'
import type { RunOptions } from '../solver/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { epochLine } from './epochLine.ts'
import { asFlag } from './failure.ts'
import { fileExists } from './fileExists.ts'
import { invocation } from './invocation.ts'
import type { Interruption } from './signals.ts'
import type { Progress } from './terminal.ts'

export interface LearningOptions {
  /** Where the model will go. */
  output?: string
  resume?: boolean
  /** In seconds; 0 for never. */
  checkpointEvery: number
}

/** Beside the model that is to come. */
export const checkpointOf = (output: string): string => `${output}.run`

/** Starts or resumes a run and advances it to its end, or to a signal: then it is saved. Close it when done with it. */
export async function learn(
  tensor: SparseTensor,
  settings: RunOptions,
  { output, resume = false, checkpointEvery }: LearningOptions,
  { signal, protect }: Interruption,
  progress: Progress,
): Promise<FileRun> {
  const path = output === undefined ? undefined : checkpointOf(output)
  const run = await openRun(tensor, { ...settings, signal }, path, resume, progress)
  try {
    const line = epochLine({
      entries: tensor.values.length,
      epochs: run.settings.epochs,
      seconds: settings.seconds,
    })
    const isKept = path !== undefined && checkpointEvery > 0
    let saved = run.seconds
    while (!run.stopped && !signal.aborted) {
      const left = isKept ? Math.max(0, saved + checkpointEvery - run.seconds) : Infinity
      const report = await run.advance({ seconds: left })
      if (report) progress.update(line(report))
      if (isKept && run.seconds - saved >= checkpointEvery) {
        await protect(() => saveCheckpoint(run, path, progress))
        saved = run.seconds
      }
    }
    progress.end()
    if (!run.stopped && path !== undefined) await protect(() => saveCheckpoint(run, path, progress))
    return run
  } catch (error) {
    await run.close()
    throw error
  }
}

async function openRun(
  tensor: SparseTensor,
  options: RunOptions,
  path: string | undefined,
  resume: boolean,
  progress: Progress,
): Promise<FileRun> {
  const isThere = path !== undefined && (await fileExists(path))
  if (resume && isThere) {
    const run = await resumeRun(path, tensor, options)
    progress.say(`Going on from ${path}, after ${Number(run.epoch.toFixed(1))} epochs.`)
    return run
  }
  if (resume) progress.say(`There is no ${path} to go on from: starting from the beginning.`)
  else if (isThere)
    progress.say(
      `${path} is left from a run that was interrupted, and will be replaced; --resume would go on with it.`,
    )
  return FileRun.start(tensor, options)
}

/** A checkpoint that cannot be written is no reason to stop: the one before it stays. */
async function saveCheckpoint(run: FileRun, path: string, progress: Progress): Promise<void> {
  try {
    await run.save(path)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    progress.say(`The checkpoint could not be written, and the run goes on without: ${error.in(asFlag)}`)
  }
}

/** When the model is safe. */
export async function removeCheckpoint(output: string): Promise<void> {
  await rm(checkpointOf(output), { force: true })
}

/** What to type, in the same folder, to go on. */
export function resumingCommand(): string {
  const [node, script, ...args] = process.argv
  const words = [...invocation(node, script), ...args.filter((arg) => arg !== '--resume'), '--resume']
  return words.map(quoted).join(' ')
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
