/** Starts `lacuna serve` in tests. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { waitFor } from '#lacuna/base/waits.js'
import { connect } from '#lacuna/client/index.js'
import { type CpModel, complete, tensorFromRecords, writeModel } from '#lacuna/index.js'

const MAIN = fileURLToPath(new URL('../../../packages/cli/dist/lacuna.js', import.meta.url))

/** A server that a test has started. */
export interface Served {
  url: string
  child: ChildProcess
  /** All lines of the log so far. */
  log(): Record<string, unknown>[]
  /** Sends a signal and waits for the end. @returns the exit code, null after kill -9 */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

const children = new Set<ChildProcess>()
const folders: string[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new folder that is removed after the tests. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-serve-'))
  folders.push(folder)
  return folder
}

/** Starts a server of models on a free port. @param args models and options */
export const serve = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Served> =>
  startServer(['serve', ...args, '--threads', '2'], { env })

/** Starts a command that serves, on a free port. @param args the command and its options */
export async function startServer(
  args: readonly string[],
  { cwd, env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Served> {
  const child = spawn(process.execPath, [MAIN, ...args, '--port', '0'], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (data) => {
    stderr += data
  })
  const ended = waitFor<number | null>(`the end of lacuna ${args[0]}`, (resolve) =>
    child.on('close', resolve),
  )
  const url = await waitFor<string>(`the address of lacuna ${args[0]}`, (resolve, reject) => {
    child.stdout.on('data', (data) => {
      stdout += data
      const [, found] = /at (http:\S+)\n/.exec(stdout) ?? []
      if (found) resolve(found)
    })
    void ended.then((code) => reject(new Error(`lacuna ${args[0]} has ended with ${code}: ${stderr}`)))
  })
  return {
    url,
    child,
    log: () =>
      stderr
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const code = await ended
      children.delete(child)
      return code
    },
  }
}

/** Ratings of films, as rows. @param shift makes others */
export function filmRows(shift = 0): { user: string; film: string; stars: number }[] {
  const rows = []
  for (let user = 0; user < 30; user++)
    for (let film = 0; film < 20; film++)
      if ((user * 7 + film * 11) % 5 < 3)
        rows.push({ user: `u${user}`, film: `f${film}`, stars: 1 + ((user + shift) % 3) + (film % 3) })
  return rows
}

/** Writes a small model of films, of 30 users and 20 films with labels. */
export async function writeFilms(folder: string, name = 'films.npz', shift = 0): Promise<CpModel> {
  const tensor = await tensorFromRecords(filmRows(shift), { modes: ['user', 'film'], value: 'stars' })
  const { model } = await complete(tensor, { rank: 3, epochs: 20, threads: 1 })
  await writeModel(join(folder, name), model)
  return model
}

/** Sends a body to a path of a server. */
export const post = (url: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

/** The client of the model films. */
export const filmsOf = ({ url }: Served) => connect(url).model('films')
