/** `lacuna serve --stdio`: requests are lines of JSON on stdin, each answered by a line of JSON on stdout. */
import { version } from 'lacuna'
import { Log } from '../http/log.ts'
import { Models } from '../models.ts'
import { errorAnswer } from '../threads/errorAnswer.ts'
import type { Answer } from '../threads/protocol.ts'
import { CommandInterrupted } from './command.ts'
import { readLines } from './lines.ts'
import { answerRequest, parseLine } from './requests.ts'

/** Settings of the process. */
export interface StdioOptions {
  readOnly?: boolean
  maxBody: number
  maxRows: number
  timeout: number
  quiet?: boolean
  runCommand(args: readonly string[]): Promise<void>
}

/** Version of the protocol; it grows when clients must change. */
const PROTOCOL = 1
/** Time between lines of progress after the end of stdin. */
const REPETITION_MS = 1000

/**
 * Opens the models and answers requests, one after another, until stdin ends, nobody reads the answers, a signal comes
 * or a command was interrupted. Throws if a model cannot be opened.
 */
export async function serveStdio(files: readonly string[], options: StdioOptions): Promise<void> {
  const write = reserveStdout()
  const log = new Log(options.quiet ?? false)
  const isReadOnly = options.readOnly ?? false
  const models = await Models.open(files, {
    threads: 1,
    mostRows: options.maxRows,
    mostWaiting: 1,
    timeoutMs: 1000 * options.timeout,
    isReadOnly,
    onFault: (message) => log.write('error', 'thread', { message }),
    onEnd(message) {
      log.write('error', 'writer', { message })
      process.exit(1)
    },
  })
  /** The last line of progress of the command that is running. */
  let progress: string | undefined
  const stop = (): void => {
    // A command ends in order by handlers of its own.
    if (progress === undefined) process.stdin.destroy()
  }
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const signal of signals) process.on(signal, stop)
  process.stdout.removeAllListeners('error').once('error', () => process.emit('SIGTERM'))
  process.stdout.on('error', () => {})
  // Where the other program has ended, too, a line that cannot be written ends a command that prints nothing for long.
  let repetition: NodeJS.Timeout | undefined
  const onEnd = (): void => {
    repetition = setInterval(() => progress && void write(progress), REPETITION_MS)
    repetition.unref()
  }
  await write(
    JSON.stringify({ ready: { version, protocol: PROTOCOL, models: models.list.map(({ name }) => name) } }),
  )
  log.write('info', 'start', { models: models.list.map(({ name }) => name), pid: process.pid })
  try {
    for await (const line of readLines(process.stdin, options.maxBody, onEnd)) {
      const started = performance.now()
      let id: string | number | undefined
      let operation = 'other'
      let answer: Answer
      let isInterrupted = false
      try {
        if ('refused' in line) answer = { status: 400, text: JSON.stringify({ error: line.refused }) }
        else {
          const request = parseLine(line.text, (given) => {
            id = given
          })
          operation = request.operation.slice(0, 40)
          const say = (kind: string) => (text: string) => {
            const line = JSON.stringify({ id, [kind]: text })
            if (kind === 'progress') progress = line
            void write(line)
          }
          const output = { progress: say('progress'), notice: say('notice'), warning: say('warning') }
          if (operation === 'command') progress = JSON.stringify({ id, progress: '' })
          answer = await answerRequest(
            request,
            { models, isReadOnly, runCommand: options.runCommand },
            output,
          )
        }
      } catch (error) {
        isInterrupted = error instanceof CommandInterrupted
        answer = errorAnswer(error)
      }
      progress = undefined
      const { status, text } = answer
      log.request({ method: 'stdio', path: operation, status, ms: performance.now() - started })
      await write(lineOf(id, answer.status === 200, text))
      if (isInterrupted) break
    }
  } finally {
    clearInterval(repetition)
    for (const signal of signals) process.off(signal, stop)
    process.stdin.destroy()
    await models.close()
    log.write('info', 'stop')
  }
}

/** A line of stdout: the answer within an object, or the error, each with the id of its request. */
function lineOf(id: string | number | undefined, isAnswer: boolean, text: string): string {
  const start = id === undefined ? '{' : `{"id":${JSON.stringify(id)},`
  return isAnswer ? `${start}"answer":${text}}` : `${start}${text.slice(1)}`
}

/** Reserves stdout for answers: what else would be written to it goes to stderr. Returns the function that writes lines. */
function reserveStdout(): (line: string) => Promise<void> {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout) as (text: string, done: () => void) => boolean
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  // A write that fails is an event of the stream.
  return (line) => new Promise((resolve) => write(`${line}\n`, () => resolve()))
}
