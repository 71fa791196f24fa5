/** Runs commands of the program within the process, with their output captured. */
import { CommanderError } from 'commander'
import { InputError } from 'lacuna'
import { withCapture } from '../../../print/capture.ts'
import { errorOfUser, Interrupted } from '../../../process/failure.ts'

/** Receives what a command prints to stderr. */
export interface CommandOutput {
  /** Receives a line of progress, which replaces the one before. */
  progress(line: string): void
  /** Receives a notice. */
  notice(line: string): void
  /** Receives a notice of a guess that changes the answer. */
  warning(line: string): void
}

/** Least time between two lines of progress. */
const PROGRESS_INTERVAL_MS = 100
/** Commands that serve until they are stopped. */
const ENDLESS = ['serve', 'studio']

/** Whether a command was interrupted: its handlers of signals stay, so that the process must end. */
export class CommandInterrupted extends InputError {
  constructor() {
    super('option', 'The command was interrupted.')
  }
}

/**
 * Runs a command; returns what it printed to stdout. Throws an InputError if it fails.
 * @param args the arguments after the name of the program
 */
export async function runCaptured(
  args: readonly string[],
  run: (args: readonly string[]) => Promise<void>,
  output: CommandOutput,
): Promise<string> {
  if (ENDLESS.includes(args[0]))
    throw new InputError('option', `${args[0]} cannot be run within this process.`)
  if (args.includes('-'))
    throw new InputError(
      'option',
      'stdin and stdout carry requests and answers here; name files in place of -.',
    )
  const texts: string[] = []
  let last = -Infinity
  const progress = {
    update(line: string) {
      if (performance.now() - last < PROGRESS_INTERVAL_MS) return
      last = performance.now()
      output.progress(line)
    },
    say: output.notice,
    insist: output.warning,
    end: () => {},
  }
  const { argv } = process
  process.argv = [...argv.slice(0, 2), ...args]
  try {
    await withCapture({ print: (text) => texts.push(text), progress }, () => run(args))
  } catch (error) {
    if (error instanceof Interrupted) throw new CommandInterrupted()
    if (error instanceof CommanderError && error.exitCode === 0) return texts.join('')
    const message =
      error instanceof CommanderError ? error.message.replace(/^error: /, '') : errorOfUser(error)
    if (message === undefined) throw error
    throw new InputError('option', message)
  } finally {
    process.argv = argv
  }
  return texts.join('')
}
