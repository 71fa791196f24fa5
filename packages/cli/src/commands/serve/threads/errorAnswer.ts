/** The answers to requests that fail in a thread. */
import { InputError } from 'lacuna'
import { type Answer, errorOf } from './protocol.ts'

/** The answer to a request that failed: 413 for too many rows, 400 for other errors of the user, else 500. */
export function errorAnswer(error: unknown): Answer {
  if (error instanceof InputError) return errorOf(error.code === 'memory' ? 413 : 400, error.message)
  if (
    error instanceof TypeError &&
    (error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
  )
    return errorOf(400, 'The body is not UTF-8.')
  process.stderr.write(
    `${JSON.stringify({ time: new Date().toISOString(), level: 'error', event: 'fault', message: String(error instanceof Error ? error.stack : error) })}\n`,
  )
  return errorOf(500, 'This is a fault in lacuna; the log of the server has the details.')
}
