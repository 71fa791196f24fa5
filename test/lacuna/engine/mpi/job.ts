/** Bundles programs of the tests and runs them as MPI jobs on this machine. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Rollup } from 'vite'
import { onTestFinished } from 'vitest'

/** The commands and options of MPI launchers; Debian installs both beside each other, under these names. */
export const launchers = {
  'Open MPI': ['mpirun.openmpi', '--oversubscribe', '--bind-to', 'none'],
  MPICH: ['mpiexec.mpich', '-bind-to', 'none'],
} as const

/** The name of an MPI implementation. */
export type Launcher = keyof typeof launchers

/** The exit code and output of a job that has ended. */
export interface JobResult {
  /** null if a signal ended it. */
  code: number | null
  stdout: string
  stderr: string
}

/** A running job. */
export interface Job {
  /** The process id of the launcher. */
  pid: number
  /** The output so far. */
  output(): { stdout: string; stderr: string }
  /** Resolves when the job has ended. */
  ended: Promise<JobResult>
}

/**
 * Starts a program on several processes; it is killed when the test has finished.
 * @param args arguments of the program
 * @param program the command; Node by default
 */
export function startJob(
  launcher: Launcher,
  processes: number,
  args: readonly string[],
  program: string = process.execPath,
): Job {
  const [command, ...options] = launchers[launcher]
  const child = spawn(command, [...options, '-n', String(processes), program, ...args], {
    // Containers run their tests as root.
    env: { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // What hangs ends with its test.
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (piece) => {
    stdout += piece
  })
  child.stderr.on('data', (piece) => {
    stderr += piece
  })
  const ended = new Promise<JobResult>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { pid: child.pid!, output: () => ({ stdout, stderr }), ended }
}

/**
 * Bundles a program of the tests as one JavaScript file in a temporary folder; it imports the built library.
 */
export async function bundle(program: URL): Promise<{ path: string; remove(): Promise<void> }> {
  const dist = fileURLToPath(new URL('../../../../packages/lacuna/dist', import.meta.url))
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      lib: { entry: fileURLToPath(program), formats: ['es'] },
      rollupOptions: {
        external: [/^#lacuna/, /^node:/],
        output: { paths: (id: string) => id.replace('#lacuna', pathToFileURL(dist).href) },
      },
    },
  })
  const [{ output }] = result as Rollup.RollupOutput[]
  const folder = await mkdtemp(join(tmpdir(), 'lacuna-mpi-'))
  const path = join(folder, 'program.mjs')
  await writeFile(path, output[0].code)
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
