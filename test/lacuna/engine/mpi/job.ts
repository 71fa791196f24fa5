/** Programs of the tests as MPI jobs on this machine. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Rollup } from 'vite'
import { onTestFinished } from 'vitest'

/** Both are installed beside each other on Debian, under these names. */
export const launchers = {
  'Open MPI': ['mpirun.openmpi', '--oversubscribe', '--bind-to', 'none'],
  MPICH: ['mpiexec.mpich', '-bind-to', 'none'],
} as const

export type Launcher = keyof typeof launchers

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Job {
  pid: number
  /** What has been said so far. */
  said(): { stdout: string; stderr: string }
  ended: Promise<Ended>
}

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
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return { pid: child.pid!, said: () => ({ stdout, stderr }), ended }
}

/** A program of the tests as one file of JavaScript, which uses the library as it was built. */
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
