/** Runs the CLI in tests: in a process that commands share, or in one of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { nameWait } from '#lacuna/base/waits.js'

const MAIN = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
const HOST = fileURLToPath(new URL('./host.mjs', import.meta.url))

/** Exit code and output of a command; the code is null if a signal ended it. */
export interface Run {
  code: number | null
  stdout: string
  stderr: string
  /** Seconds of processor time on all threads; only of a command in the shared process that has not ended it. */
  processorSeconds?: number
  /** The most bytes that the shared process has had in memory so far; as above. */
  peakBytes?: number
}

/** Options of lacuna. */
interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** Decodes stdout as Latin-1: a character for each byte. */
  binary?: boolean
  /** Runs in a process of its own; so does a command with any of the options below. */
  alone?: boolean
  /** Ends the shared process before the command, so that it runs in a new one. */
  fresh?: boolean
  /** Contents of stdin; empty by default. */
  input?: string | Uint8Array
  /** Runs bash with the arguments; the CLI is its "$0". */
  shell?: boolean
  /** Called with the process id and all stderr so far whenever there is more; may send signals. */
  during?: (pid: number, stderr: string) => void
}

/**
 * Runs the CLI. Commands share one process, one after another, unless an option needs a process of its own.
 */
export function lacuna(args: string[], options: RunOptions = {}): Promise<Run> {
  const { alone, input, shell, during } = options
  const what = `the end of: lacuna ${args.join(' ')}`
  if (alone || input !== undefined || shell || during) return nameWait(what, runInOwnProcess(args, options))
  const run = last.then(async () => {
    if (options.fresh) await endHost()
    return nameWait(what, runInHost(args, options))
  })
  last = run.catch(() => {})
  return run
}

/** The environment in which a command is killed as soon as it has renamed a file that begins with a text. */
export const killAfterRename = (start: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--require ${fileURLToPath(new URL('../../scripts/torture/faultyFiles.cjs', import.meta.url))}`,
  TORTURE_FAULT: JSON.stringify({ kind: 'renamed', start }),
})

/** Runs a command in a process of its own. */
function runInOwnProcess(args: string[], options: RunOptions): Promise<Run> {
  return new Promise((resolve, reject) => {
    const [command, all] = options.shell ? ['bash', [...args, MAIN]] : [process.execPath, [MAIN, ...args]]
    const child = spawn(command, all, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    const run: Run = { code: null, stdout: '', stderr: '' }
    child.stdout?.on('data', (data: Buffer) => {
      run.stdout += options.binary ? data.toString('latin1') : data
    })
    child.stderr?.on('data', (data) => {
      run.stderr += data
      options.during?.(child.pid!, run.stderr)
    })
    child.stdin?.on('error', () => {}) // it may end before it has read all
    child.stdin?.end(options.input)
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...run, code }))
  })
}

/** The process that commands share; undefined before the first command, and after one that ended it. */
let host: ChildProcess | undefined
/** Resolves when the last command of the shared process has ended. */
let last: Promise<unknown> = Promise.resolve()

/** Runs a command in the shared process, which is started if necessary. */
function runInHost(args: string[], { cwd = process.cwd(), env, binary }: RunOptions): Promise<Run> {
  host ??= spawn(process.execPath, [HOST], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const child = host
  // Marks the end of the command's output on both streams; on stderr its exit code follows.
  const end = randomUUID()
  return new Promise((resolve, reject) => {
    const output: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
    const settle = (ended?: number | null): void => {
      const [stdout, isWhole] = Buffer.concat(output.stdout)
        .toString(binary ? 'latin1' : 'utf8')
        .split(end)
      const [stderr, figures] = Buffer.concat(output.stderr).toString().split(end)
      if (ended === undefined && (isWhole === undefined || !figures?.endsWith('\n'))) return
      child.stdout!.off('data', listeners.stdout)
      child.stderr!.off('data', listeners.stderr)
      child.off('error', reject).off('close', close)
      if (ended !== undefined) {
        resolve({ code: ended, stdout, stderr })
        return
      }
      const [code, processorSeconds, peakBytes] = figures.split(' ').map(Number)
      resolve({ code, stdout, stderr, processorSeconds, peakBytes })
    }
    const listen = (pieces: Buffer[]) => (piece: Buffer) => {
      pieces.push(piece)
      settle()
    }
    const listeners = { stdout: listen(output.stdout), stderr: listen(output.stderr) }
    const close = (code: number | null): void => {
      host = undefined
      settle(code)
    }
    child.stdout!.on('data', listeners.stdout)
    child.stderr!.on('data', listeners.stderr)
    child.on('error', reject).on('close', close)
    child.send({ args, cwd, env, end })
  })
}

/** Ends the shared process; fails if a command has left a thread or file open, which keeps it from ending. */
async function endHost(): Promise<void> {
  if (!host) return
  const child = host
  host = undefined
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  const code = await new Promise((resolve) => {
    child.on('exit', resolve)
    child.disconnect()
  })
  clearTimeout(timer)
  expect(code, 'the code of the process that commands have shared').toBe(0)
}

afterAll(endHost)
