/** The checkpoint of `complete`: MODEL.run beside the model, from which `--resume` continues. */
import { rm } from 'node:fs/promises'
import { encodeRun, type FileRun, InputError } from 'lacuna'
import { openInput, readWhole, type Selection, writeFileWhole } from 'lacuna/internal'
import type { Progress } from '../../print/terminal.ts'
import { asFlag, shellWord } from '../../process/failure.ts'
import { fileExists } from '../../process/fileExists.ts'
import { invocation } from '../../process/invocation.ts'

/** Returns the path of the checkpoint of a model file: MODEL.run. @param output path of the model */
export const checkpointPath = (output: string): string => `${output}.run`

/** Reads the bytes of a checkpoint file; prints a notice and returns undefined if there is none. */
export async function readCheckpoint(path: string, progress: Progress): Promise<Uint8Array | undefined> {
  if (await fileExists(path)) return readWhole(await openInput(path))
  reportMissingCheckpoint(path, progress)
  return undefined
}

/** Prints that `--resume` finds no checkpoint and the run starts from the beginning. */
export const reportMissingCheckpoint = (path: string, progress: Progress): void =>
  progress.say(`There is no ${path} to go on from: starting from the beginning.`)

/** Prints that a checkpoint of an interrupted run will be overwritten. */
export const reportReplacedCheckpoint = (path: string, progress: Progress): void =>
  progress.say(
    `${path} is left from a run that was interrupted, and will be replaced; --resume would go on with it.`,
  )

/**
 * Saves a checkpoint. If that fails with an InputError (a full disk, say), prints why instead of throwing:
 * the run continues, and the previous checkpoint stays.
 * @param save writes the file, whole or not at all
 */
export async function trySaveCheckpoint(save: () => Promise<void>, progress: Progress): Promise<void> {
  try {
    await save()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    progress.say(`The checkpoint could not be written, and the run goes on without: ${error.in(asFlag)}`)
  }
}

/**
 * Writes the checkpoint of a run, with the trials by which its settings were chosen; only the root writes.
 */
export async function saveRun(run: FileRun, path: string, selection: Selection): Promise<void> {
  const { progress, ...state } = await run.state()
  if (run.isRoot) await writeFileWhole(path, encodeRun({ ...state, progress: { ...progress, selection } }))
}

/**
 * Removes the checkpoint of a model that has been written, if there is one.
 * @param output path of the model
 */
export async function removeCheckpoint(output: string): Promise<void> {
  await rm(checkpointPath(output), { force: true })
}

/**
 * Returns the command line that continues the current command after an interruption: its own arguments,
 * quoted for a shell, with --resume, and with mpirun for several processes.
 * @param processes number of MPI processes
 */
export function resumeCommand(processes = 1): string {
  const [node, script, ...args] = process.argv
  const launcher = processes > 1 ? ['mpirun', '-n', String(processes)] : []
  const words = [
    ...launcher,
    ...invocation(node, script),
    ...args.filter((arg) => arg !== '--resume'),
    '--resume',
  ]
  return words.map(shellWord).join(' ')
}
