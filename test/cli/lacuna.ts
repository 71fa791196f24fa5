import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'

const MAIN = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
const HOST = fileURLToPath(new URL('./host.mjs', import.meta.url))

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** A byte of stdout becomes a character. */
  binary?: boolean
  /** In a process of its own, as are all that have one of the options below. */
  alone?: boolean
  /** What comes on stdin; nothing by default. */
  input?: string | Uint8Array
  /** The arguments are bash's, to which the CLI is "$0". */
  shell?: boolean
  /** May send signals. */
  during?: (pid: number, stderr: string) => void
}

/** Runs the CLI as a user would; one command after another in the same process, unless that makes a difference. */
export function lacuna(args: string[], options: RunOptions = {}): Promise<Run> {
  const { alone, input, shell, during } = options
  if (alone || input !== undefined || shell || during) return inProcess(args, options)
  const run = last.then(() => inHost(args, options))
  last = run.catch(() => {})
  return run
}

function inProcess(args: string[], options: RunOptions): Promise<Run> {
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

/** The process that commands share; it is started by the first of them, and after one that has ended it. */
let host: ChildProcess | undefined
/** The last command that it was given. */
let last: Promise<unknown> = Promise.resolve()

function inHost(args: string[], { cwd = process.cwd(), env, binary }: RunOptions): Promise<Run> {
  host ??= spawn(process.execPath, [HOST], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const child = host
  // What it says on both streams when the command has ended; on stderr its exit code follows.
  const end = randomUUID()
  return new Promise((resolve, reject) => {
    const said: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] }
    const settle = (ended?: number | null): void => {
      const [stdout, isWhole] = Buffer.concat(said.stdout)
        .toString(binary ? 'latin1' : 'utf8')
        .split(end)
      const [stderr, code] = Buffer.concat(said.stderr).toString().split(end)
      if (ended === undefined && (isWhole === undefined || !code?.endsWith('\n'))) return
      child.stdout!.off('data', hear.stdout)
      child.stderr!.off('data', hear.stderr)
      child.off('error', reject).off('close', close)
      resolve({ code: ended === undefined ? Number(code) : ended, stdout, stderr })
    }
    const listen = (pieces: Buffer[]) => (piece: Buffer) => {
      pieces.push(piece)
      settle()
    }
    const hear = { stdout: listen(said.stdout), stderr: listen(said.stderr) }
    const close = (code: number | null): void => {
      host = undefined
      settle(code)
    }
    child.stdout!.on('data', hear.stdout)
    child.stderr!.on('data', hear.stderr)
    child.on('error', reject).on('close', close)
    child.send({ args, cwd, env, end })
  })
}

/** A command that leaves something open, a thread or a file, would keep a process from ending. */
afterAll(async () => {
  if (!host) return
  const child = host
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  const code = await new Promise((resolve) => {
    child.on('exit', resolve)
    child.disconnect()
  })
  clearTimeout(timer)
  expect(code, 'the code of the process that commands have shared').toBe(0)
})
