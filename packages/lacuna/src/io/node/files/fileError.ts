/** Explains errors of the file system in sentences. */
import { dirname } from 'node:path'
import { InputError } from '../../../base/inputError.ts'

/**
 * Converts the error of a failed system call to an InputError with a sentence about the file; returns any
 * other error unchanged. Does not throw it.
 */
export function explainFileError(error: unknown, path: string, action: 'read' | 'write'): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error
  return new InputError('file', `${path}: ${sentenceFor(String(error.code), path, action)}`, { cause: error })
}

/** Returns the sentence for an error code of the system, such as ENOENT. */
function sentenceFor(code: string, path: string, action: 'read' | 'write'): string {
  switch (code) {
    case 'ENOENT':
      return action === 'read'
        ? 'there is no such file; check the name.'
        : `there is no folder ${dirname(path)}; create it first.`
    case 'EISDIR':
      return 'this is a folder; name a file.'
    case 'ENOTDIR':
      return 'a part of the path is a file, not a folder; check the name.'
    case 'EACCES':
    case 'EPERM':
      return `you have no permission to ${action} it; change the permissions or choose another place.`
    case 'EROFS':
      return 'the disk is read-only; choose another place.'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'there is no space left to write it; free some or choose another disk.'
    case 'ENAMETOOLONG':
      return 'the name is too long; choose a shorter one.'
    default:
      return `the system cannot ${action} it (${code}); check the file and the disk.`
  }
}
