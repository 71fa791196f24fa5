/** Errors of commands: messages, exit codes, and options as they are typed. */
import { CommanderError } from 'commander'
import { InputError } from 'lacuna'
import { joinWithOr, type OptionMention } from 'lacuna/internal'

/**
 * Ends the command with an exit code and without a message: after a signal (130 for Ctrl-C), or if another
 * process prints it.
 */
export class Interrupted extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super('Interrupted')
    this.exitCode = exitCode
  }
}

/**
 * Prints an error to stderr, unless commander has printed it or it is Interrupted.
 * @returns the exit code: 2 for errors of the user, that of a signal, 1 for faults of the program
 */
export function explainFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2 // commander has printed it
  if (error instanceof Interrupted) return error.exitCode
  const message = errorOfUser(error)
  if (message !== undefined) {
    process.stderr.write(`lacuna: ${message}\n`)
    return 2
  }
  process.stderr.write(
    `lacuna: this is a fault in lacuna, please report it.\n${error instanceof Error ? error.stack : error}\n`,
  )
  return 1
}

/** The sentence of an error of the user, in one line with options as they are typed; undefined for other errors. */
export function errorOfUser(error: unknown): string | undefined {
  if (error instanceof InputError) return error.in(asFlag)
  return explainLimit(error)
}

/** Message for an error by a limit of the system: files, threads or memory; undefined for other errors. */
function explainLimit(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'The system allows no more open files; use fewer threads (--threads), or allow more with ulimit -n.'
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || code === 'ERR_WORKER_INIT_FAILED' || code === 'EAGAIN')
    return 'The system gives no memory for so many threads; use fewer with --threads.'
  if (error instanceof RangeError && /allocat|out of memory/i.test(error.message))
    return 'The system gives no more memory; use a smaller rank or fewer entries, or end other programs.'
}

/** Formats an option of the library, with its values, as it is typed: maxInner as `--max-inner`. */
export function asFlag({ option, values, set }: OptionMention): string {
  const flag = `--${option.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
  if (values.length === 0) return flag
  const words = values.map((value) => shellWord(String(value)))
  return `${flag} ${set ? words.join(' ') : joinWithOr(words)}`
}

/** Quotes text as one word of a POSIX shell, if that is necessary. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
