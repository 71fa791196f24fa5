import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the CLI as a user would; `during` may send it signals. */
export function lacuna(
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; during?: (pid: number, stderr: string) => void } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const run: Run = { code: null, stdout: '', stderr: '' }
    child.stdout.on('data', (data) => {
      run.stdout += data
    })
    child.stderr.on('data', (data) => {
      run.stderr += data
      options.during?.(child.pid!, run.stderr)
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ ...run, code }))
  })
}
