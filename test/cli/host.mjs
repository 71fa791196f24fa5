/**
 * Runs commands of the CLI one after another in one process, each by main.js as a process of its own would: to load
 * all modules costs more than most commands do. Who sends a command (lacuna.ts) waits for its end before the next.
 */
// @ts-check
import { fileURLToPath } from 'node:url'

const MAIN = new URL('../../packages/cli/dist/lacuna.js', import.meta.url)
const ownEnvironment = { ...process.env }
let commands = 0

// Each command listens to them to its end, which here is none.
process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)

/** @param {{ args: string[], cwd: string, env?: NodeJS.ProcessEnv, end: string }} command */
async function run({ args, cwd, env, end }) {
  process.chdir(cwd)
  Object.assign(process.env, env)
  process.argv = [process.execPath, fileURLToPath(MAIN), ...args]
  process.exitCode = 0
  // With another address it is another module, which runs anew; those it imports are the same.
  await import(`${MAIN}?command=${commands++}`)
  process.stderr.write(`${end}${process.exitCode}\n`)
  process.stdout.write(end)
  process.exitCode = 0
  for (const name of Object.keys(env ?? {})) delete process.env[name]
  Object.assign(process.env, ownEnvironment)
}

process.on('message', run)
