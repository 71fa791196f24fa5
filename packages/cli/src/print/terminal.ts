/**
 * What a person sees on stderr while something long runs: one line that changes on a terminal, plain lines
 * elsewhere.
 */
import type { WriteStream } from 'node:tty'
import { oneLine, printable } from './printable.ts'

export interface Progress {
  /** A line that replaces the one before it. */
  update(line: string): void
  /** A line that stays. */
  say(line: string): void
  /**
   * A line that stays, and is said even to who wants quiet: something was guessed that changes the answer.
   */
  insist(line: string): void
  /** Leaves the last line standing. */
  end(): void
}

/** Without a terminal, at most one changing line in this time. */
const PLAIN_INTERVAL_MS = 1000
const TERMINAL_INTERVAL_MS = 50

export function startProgress(quiet: boolean, stream: WriteStream = process.stderr): Progress {
  const write = (line: string) => stream.write(`${printable(line)}\n`)
  if (quiet) return { update: () => {}, say: () => {}, insist: write, end: () => {} }
  const terminal = stream.isTTY === true
  let pending: string | undefined // a changing line not shown yet
  let shown = false // a changing line stands on the terminal
  let last = -Infinity

  function show(line: string): void {
    if (terminal) stream.write(`\r\x1b[K${oneLine(line).slice(0, (stream.columns ?? 80) - 1)}`)
    else write(line)
    shown = terminal
    pending = undefined
    last = performance.now()
  }

  function settle(): void {
    if (pending !== undefined) show(pending)
    if (shown) stream.write('\n')
    shown = false
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

/** Bold and dim text where the stream is a terminal and nobody asked for none (NO_COLOR). */
export function painter(stream: WriteStream): { bold(text: string): string; dim(text: string): string } {
  const colours = stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
  const paint = (code: number) => (text: string) => (colours ? `\x1b[${code}m${text}\x1b[0m` : text)
  return { bold: paint(1), dim: paint(2) }
}
