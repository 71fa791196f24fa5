/** Runs the benchmarks as `npm run bench --` does. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../bench/dist/bench.js', import.meta.url))

/** Runs a command of the benchmarks in a process of its own. */
export function bench(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...options.env }
    execFile(process.execPath, [MAIN, ...args], { ...options, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}
