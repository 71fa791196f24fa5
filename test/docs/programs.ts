/** Runs the TypeScript of examples, in a process that they share. */
import { type ChildProcess, fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { waitFor } from '#lacuna/base/waits.js'

const HOST = fileURLToPath(new URL('./programHost.mjs', import.meta.url))
/** Seconds after which a program is taken to hang: many times what the slowest takes on a busy machine. */
const LIMIT = 200

/** What became of a program. */
interface Outcome {
  error?: string
  differences: string[]
}

let host: ChildProcess | undefined
let programs = 0

/** Runs a program in a folder; one that does not end within LIMIT seconds is an error. */
export function runProgram(cwd: string, text: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  host ??= fork(HOST, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const child = host
  const path = join(cwd, `example-${programs++}.mjs`)
  writeFileSync(path, text)
  return waitFor<Outcome>(`the end of ${path}`, (resolve) => {
    const fail = (error: string): void => {
      host = undefined
      child.kill('SIGKILL')
      resolve({ error, differences: [] })
    }
    const timer = setTimeout(() => fail(`It has not ended after ${LIMIT} s.`), 1000 * LIMIT)
    child.once('exit', (code) => fail(`The process has ended with ${code}.`))
    child.once('message', (outcome: Outcome) => {
      clearTimeout(timer)
      child.removeAllListeners('exit')
      resolve(outcome)
    })
    child.send(path)
  })
}

/** Ends the process. @returns its exit code; null if a program has left threads or files open, and it did not end */
export async function endPrograms(): Promise<number | null> {
  if (!host) return 0
  const child = host
  host = undefined
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  const code = await waitFor<number | null>('the end of the programs', (resolve) => {
    child.on('exit', resolve)
    child.disconnect()
  })
  clearTimeout(timer)
  return code
}
