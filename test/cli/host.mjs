/**
 * Runs commands of the CLI one after another in one process, each by importing main.js anew: loading all
 * modules costs more than most commands do. lacuna.ts waits for the end of a command before it sends the next.
 */
// @ts-check
import { fileURLToPath } from 'node:url'

const MAIN = new URL('../../packages/cli/dist/lacuna.js', import.meta.url)
const ownEnvironment = { ...process.env }
let commands = 0

// Each command adds listeners to these streams, which outlive it here.
process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)

/**
 * Runs a command, then writes `end` to stdout; and to stderr `end`, the exit code, the seconds of processor
 * time that the command took on all threads, and the most bytes that the process has had in memory so far.
 * @param {{ args: string[], cwd: string, env?: NodeJS.ProcessEnv, end: string }} command
 */
async function run({ args, cwd, env, end }) {
  process.chdir(cwd)
  Object.assign(process.env, env)
  process.argv = [process.execPath, fileURLToPath(MAIN), ...args]
  process.exitCode = 0
  const start = process.cpuUsage()
  // With another query it is another module, which runs anew; the modules that it imports are shared.
  await import(`${MAIN}?command=${commands++}`)
  const { user, system } = process.cpuUsage(start)
  const peakBytes = 1024 * process.resourceUsage().maxRSS
  process.stderr.write(`${end}${process.exitCode} ${(user + system) / 1e6} ${peakBytes}\n`)
  process.stdout.write(end)
  process.exitCode = 0
  for (const name of Object.keys(env ?? {})) delete process.env[name]
  Object.assign(process.env, ownEnvironment)
}

process.on('message', run)
