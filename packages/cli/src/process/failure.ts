import { CommanderError } from 'commander'
import { InputError } from 'lacuna'
import { type OptionMention, oneOf } from 'lacuna/internal'
import { oneLine } from '../print/printable.ts'

/**
 * Thrown to end with a signal's code (130 for Ctrl-C), when everything is tidy, or with one that another
 * process explains.
 */
export class Interrupted extends Error {
  readonly exitCode: number

  constructor(exitCode: number) {
    super('Interrupted')
    this.exitCode = exitCode
  }
}

/**
 * Says what went wrong and gives the exit code: 2 for what the user can mend, that of a signal, 1 for our own
 * faults.
 */
export function explainFailure(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2 // commander has already spoken
  if (error instanceof Interrupted) return error.exitCode
  if (error instanceof InputError) {
    process.stderr.write(`lacuna: ${oneLine(error.in(asFlag))}\n`)
    return 2
  }
  const limit = limitOf(error)
  if (limit) {
    process.stderr.write(`lacuna: ${limit}\n`)
    return 2
  }
  process.stderr.write(
    `lacuna: this is a fault in lacuna, please report it.\n${error instanceof Error ? error.stack : error}\n`,
  )
  return 1
}

/** What the system has refused, where that is no fault of the program's. */
function limitOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'The system allows no more open files; use fewer threads (--threads), or allow more with ulimit -n.'
  if (code === 'ERR_WORKER_OUT_OF_MEMORY' || code === 'ERR_WORKER_INIT_FAILED' || code === 'EAGAIN')
    return 'The system gives no memory for so many threads; use fewer with --threads.'
  if (error instanceof RangeError && /allocat|out of memory/i.test(error.message))
    return 'The system gives no more memory; use a smaller rank or fewer entries, or end other programs.'
}

/** An option of the library as one types it: maxInner as --max-inner. */
export function asFlag({ option, values, set }: OptionMention): string {
  const flag = `--${option.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`
  if (values.length === 0) return flag
  const words = values.map((value) => shellWord(String(value)))
  return `${flag} ${set ? words.join(' ') : oneOf(words)}`
}

/** As a POSIX shell takes it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
