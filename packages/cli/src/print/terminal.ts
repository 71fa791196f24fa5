/** Progress on stderr while something long runs: one changing line on a terminal, plain lines elsewhere. */
import type { WriteStream } from 'node:tty'
import { currentCapture, type Progress } from './capture.ts'
import { oneLine, printable } from './printable.ts'

export type { Progress } from './capture.ts'

/** Least time between two lines of `update` where stderr is no terminal. */
const PLAIN_INTERVAL_MS = 1000
/** Least time between two changes of the line of `update` on a terminal. */
const TERMINAL_INTERVAL_MS = 50

/** Makes the progress of a command on a stream. @param quiet whether only `insist` prints */
export function startProgress(quiet: boolean, stream: WriteStream = process.stderr): Progress {
  const captured = currentCapture()?.progress
  if (captured) return quiet ? { ...captured, update: () => {}, say: () => {} } : captured
  const write = (line: string) => stream.write(`${printable(line)}\n`)
  if (quiet) return { update: () => {}, say: () => {}, insist: write, end: () => {} }
  const terminal = isTerminal(stream)
  let pending: string | undefined // the last changing line, if it was not shown
  let isShown = false // whether a changing line is on the terminal
  let last = -Infinity

  /** Shows a changing line: in place of the last one on a terminal, else as a line of its own. */
  function show(line: string): void {
    if (terminal) stream.write(`\r\x1b[K${oneLine(line).slice(0, (stream.columns ?? 80) - 1)}`)
    else write(line)
    isShown = terminal
    pending = undefined
    last = performance.now()
  }

  /** Shows the last changing line if it was not shown, and ends it with a line break. */
  function settle(): void {
    if (pending !== undefined) show(pending)
    if (isShown) stream.write('\n')
    isShown = false
  }

  function say(line: string): void {
    settle()
    write(line)
  }

  return {
    update(line) {
      pending = line
      if (performance.now() - last >= (terminal ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS)) show(line)
    },
    say,
    insist: say,
    end: settle,
  }
}

/**
 * Whether a stream is a terminal. Under mpirun it never is: Open MPI gives processes a pseudoterminal even if
 * its own output goes to a file.
 */
const isTerminal = (stream: WriteStream): boolean =>
  stream.isTTY === true && process.env.OMPI_COMM_WORLD_SIZE === undefined

/** Functions for bold and dim text; they change nothing if the stream is no terminal or NO_COLOR is set. */
export function painter(stream: WriteStream): { bold(text: string): string; dim(text: string): string } {
  const colours = isTerminal(stream) && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  const paint = (code: number) => (text: string) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text)
  return { bold: paint(1), dim: paint(2) }
}
