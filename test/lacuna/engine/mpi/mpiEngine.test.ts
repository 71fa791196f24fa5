/** The engine suite over MPI: 1, 2, 3 and 5 processes of 1 or 2 threads, with Open MPI and MPICH. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { launchedProcesses, launchedRank } from '#lacuna/comm/mpi/launch.js'
import { briefVariantChecks, engineChecks, variantChecks } from '../suite.ts'
import { bundle, type Launcher, startJob } from './job.ts'

// Many processes on few cores.
vi.setConfig({ testTimeout: 240_000 })

let runner: Awaited<ReturnType<typeof bundle>>

beforeAll(async () => {
  runner = await bundle(new URL('./runner.ts', import.meta.url))
})
afterAll(() => runner?.remove())

/** Runs suites as an MPI job, expects all checks to pass, and returns their names. */
async function runChecks(
  launcher: Launcher,
  processes: number,
  suites: string[],
  { threads, sharedMemory = true }: { threads: number[]; sharedMemory?: boolean },
): Promise<string[]> {
  const job = startJob(launcher, processes, [runner.path, JSON.stringify({ threads, suites, sharedMemory })])
  const { code, stdout, stderr } = await job.ended
  const found = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  expect(found.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name}: ${fault}`]))).toEqual([])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return found.map(({ name }) => name)
}

const namesOf = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name)
const checks = namesOf(engineChecks).filter((name) => !name.includes('plans'))

/** Jobs that run the checks of variants: with all kinds of steps, or `brief` with few of them. */
const jobs: [Launcher, number, { threads: number[]; sharedMemory?: boolean }, 'variants' | 'brief'][] = [
  ['Open MPI', 1, { threads: [2] }, 'brief'],
  ['Open MPI', 2, { threads: [1, 2] }, 'variants'],
  // By messages alone, as if the processes were on several machines.
  ['Open MPI', 3, { threads: [2], sharedMemory: false }, 'variants'],
  ['Open MPI', 5, { threads: [1] }, 'brief'],
  ['MPICH', 2, { threads: [1, 2] }, 'brief'],
  // MPICH waits for messages by asking again and again: more processes than cores are in each other's way.
  ['MPICH', 2, { threads: [1], sharedMemory: false }, 'brief'],
]
it.each(jobs)(
  'over %s, %i processes with the options %j have the bits of the CPU engine',
  async (launcher, processes, options, suite) => {
    const found = await runChecks(launcher, processes, [suite], options)
    expect(found).toEqual(namesOf(suite === 'brief' ? briefVariantChecks : variantChecks))
  },
)

it('3 processes of 1 thread pass the checks of every engine', async () => {
  expect(await runChecks('Open MPI', 3, ['engine'], { threads: [1] })).toEqual(checks)
})

it('every process knows how many processes plan with the memory of its machine, and leaves theirs alone', async () => {
  const names = ['processes do not disturb each other', 'counts the processes of this machine']
  for (const sharedMemory of [true, false])
    expect(await runChecks('Open MPI', 3, ['memory'], { threads: [1], sharedMemory })).toEqual(names)
})

it('launchedProcesses recognizes launchers by their environment variables', () => {
  expect(launchedProcesses({})).toBe(1)
  expect(launchedProcesses({ OMPI_COMM_WORLD_SIZE: '8' })).toBe(8)
  expect(launchedProcesses({ PMI_SIZE: '3' })).toBe(3)
  expect(launchedProcesses({ SLURM_NTASKS: '4' })).toBe(1)
  expect(launchedProcesses({ SLURM_NTASKS: '4', SLURM_MPI_TYPE: 'pmix' })).toBe(4)
  expect(launchedProcesses({ PMI_SIZE: 'many' })).toBe(1)
  // A step of a larger job; the batch script itself; a step without MPI.
  expect(launchedProcesses({ SLURM_NTASKS: '8', SLURM_STEP_NUM_TASKS: '4', PMIX_RANK: '1' })).toBe(4)
  expect(launchedProcesses({ SLURM_NTASKS: '8', SLURM_PROCID: '0' })).toBe(1)
  expect(launchedProcesses({ SLURM_NTASKS: '8', SLURM_STEP_NUM_TASKS: '8', SLURM_MPI_TYPE: 'none' })).toBe(1)
  expect(launchedRank({ SLURM_PROCID: '3', PMIX_RANK: '3' })).toBe(3)
  expect(launchedRank({ OMPI_COMM_WORLD_RANK: '2', PMIX_RANK: '2', SLURM_PROCID: '0' })).toBe(2)
  expect(launchedRank({})).toBe(0)
})
