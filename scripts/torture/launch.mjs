// Starts a command, with a fault or without, and waits for its end.
// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The command line, as it was built. */
export const MAIN = join(ROOT, 'packages/cli/dist/lacuna.js')
const FILE_LAYER = fileURLToPath(new URL('./faultyFiles.cjs', import.meta.url))

/** Whether system calls can be traced here. */
export const hasStrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
/** The launcher of MPI jobs, if there is one. */
export const mpirun = ['mpirun.openmpi', 'mpirun'].find((name) => spawnSync(name, ['--version']).status === 0)

/**
 * @typedef {object} Fault
 * @property {string} kind of the file layer (faultyFiles.cjs), or one of: none, system call, moment, signal
 * @property {number} [at] number of the operation or system call
 * @property {boolean} [torn] whether half of a write is done
 * @property {string} [code] of an error
 * @property {boolean} [stays] whether an error comes back
 * @property {number} [seed] of short reads and clocks
 * @property {string} [call] name of the system call
 * @property {number} [afterMs] time to the signal
 * @property {(stderr: string) => boolean} [when] begins that time when it holds for stderr so far, in place of the start
 * @property {NodeJS.Signals} [signal]
 */

/**
 * @typedef {object} Ended
 * @property {number | null} code exit code; null after a signal
 * @property {boolean} killed whether SIGKILL ended it
 * @property {boolean} hung whether it took longer than LIMIT_MS
 * @property {string} fired what the file layer reports
 * @property {string} stdout
 * @property {string} stderr
 */

/** The longest time of a command, on a busy machine too; one that takes longer hangs. */
const LIMIT_MS = 300_000

/**
 * Runs `lacuna` in a folder.
 * @param {string} cwd its parent gets the report of the file layer, and has a folder tmp unless `env` names another
 * @param {readonly string[]} args
 * @param {Fault} [fault]
 * @param {{ env?: NodeJS.ProcessEnv, processes?: number }} [options]
 * @returns {Promise<Ended>}
 */
export function launch(cwd, args, fault = { kind: 'none' }, { env = {}, processes = 1 } = {}) {
  const isOfLayer = !['none', 'system call', 'moment', 'signal'].includes(fault.kind)
  const report = join(dirname(cwd), 'report')
  if (isOfLayer) rmSync(report, { force: true })
  let command = [process.execPath, MAIN, ...args]
  if (processes > 1 && mpirun)
    command = [mpirun, '--oversubscribe', '--bind-to', 'none', '-n', String(processes), ...command]
  if (fault.kind === 'system call')
    command = [
      'strace',
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      `trace=${fault.call}`,
      '-e',
      `inject=${fault.call}:signal=SIGKILL:when=${fault.at}`,
      ...command,
    ]
  const child = spawn(command[0], command.slice(1), {
    cwd,
    env: {
      ...process.env,
      TMPDIR: join(dirname(cwd), 'tmp'),
      OMPI_ALLOW_RUN_AS_ROOT: '1',
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1',
      ...env,
      ...(isOfLayer && {
        NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --require ${FILE_LAYER}`,
        TORTURE_FAULT: JSON.stringify({ ...fault, report }),
      }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (data) => {
    stdout += data
  })
  child.stderr.on('data', (data) => {
    stderr += data
  })
  return new Promise((resolve, reject) => {
    let hung = false
    const limit = setTimeout(() => {
      hung = child.kill('SIGABRT')
    }, LIMIT_MS)
    const { afterMs, when = () => true } = fault
    /** @type {NodeJS.Timeout | undefined} */
    let timer
    const watch = setInterval(() => {
      if (afterMs === undefined || !when(stderr)) return
      clearInterval(watch)
      timer = setTimeout(() => killOne(child.pid ?? 0, processes, fault), afterMs)
    }, 5)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(limit)
      clearInterval(watch)
      clearTimeout(timer)
      const killed = signal === 'SIGKILL' || code === 137
      const fired = isOfLayer && existsSync(report) ? readFileSync(report, 'utf8') : ''
      resolve({ code, killed, hung, fired, stdout, stderr })
    })
  })
}

/** Sends the signal to the command, or SIGKILL to one process of a job. @param {number} pid @param {number} processes @param {Fault} fault */
function killOne(pid, processes, { signal = 'SIGKILL', at = 0 }) {
  const pids = processes > 1 ? childrenOf(pid) : [pid]
  try {
    if (pids.length > 0) process.kill(pids[at % pids.length], signal)
  } catch {
    // The process has ended by itself.
  }
}

/** Processes that a process has started. @param {number} pid */
function childrenOf(pid) {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
  return (stdout ?? '').trim().split('\n').filter(Boolean).map(Number)
}
