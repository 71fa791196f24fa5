import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  /** What comes on stdin; nothing by default. */
  input?: string | Uint8Array
  /** A byte of stdout becomes a character. */
  binary?: boolean
  /** The arguments are bash's, to which the CLI is "$0". */
  shell?: boolean
  /** May send signals. */
  during?: (pid: number, stderr: string) => void
}

/** Runs the CLI as a user would. */
export function lacuna(args: string[], options: RunOptions = {}): Promise<Run> {
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
