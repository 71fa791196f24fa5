/** A lock file, so that only one server takes updates of a model. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { InputError } from 'lacuna'
import { explainFileError } from 'lacuna/internal'

/**
 * Takes the lock, which holds the number of this process; a lock of a process that has ended is taken over.
 * Throws if another server has it.
 * @returns a function that releases it
 */
export function takeLock(path: string): () => void {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw explainFileError(error, path, 'write')
    }
    const owner = Number(readFileSync(path, 'utf8'))
    if (owner !== process.pid && isRunning(owner))
      throw new InputError(
        'file',
        `${path}: the process ${owner} takes updates of this model; stop it, or serve with --read-only.`,
      )
    rmSync(path, { force: true })
  }
  throw new InputError('file', `${path}: another server has just taken the lock; try again.`)
}

/** Whether a process with this number is running. */
function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
