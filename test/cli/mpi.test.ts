/** `lacuna complete` on several processes gives the results and messages of one process. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { below, draw, stream } from '#lacuna/base/random.js'
import { version } from '#lacuna/base/version.js'
import { readModel, readTensor, writeTensor } from '#lacuna/io/node/index.js'
import { decodeRun } from '#lacuna/solver/run/checkpoint.js'
import { type JobResult, type Launcher, startJob } from '../lacuna/engine/mpi/job.ts'
import { lacuna, type Run } from './lacuna.ts'

vi.setConfig({ testTimeout: 120_000 })

const main = fileURLToPath(new URL('../../packages/cli/dist/lacuna.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'lacuna-mpi-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs the CLI on one process. */
const alone = (...args: string[]): Promise<Run> => lacuna(args)

/** Runs the CLI by mpirun. */
const onProcesses = (launcher: Launcher, processes: number, ...args: string[]): Promise<JobResult> =>
  startJob(launcher, processes, [main, ...args]).ended

/** Error messages of Lacuna, without those that mpirun adds. */
const sentences = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line.startsWith('lacuna: '))

/** Reads a model without the seconds that it took, to compare it with another. */
async function comparableModel(path: string): Promise<object> {
  const { dims, reshaping, link, factors, labels, training, unobserved } = await readModel(path, 'single')
  const { seconds, ...rest } = training
  return {
    dims,
    reshaping,
    link,
    labels,
    unobserved,
    training: rest,
    factors: factors.map((factor) => [...factor]),
  }
}

const columns = ['user', 'item', 'week']

beforeAll(async () => {
  await alone('synth', '--dims', '40x30x20', '--entries', '6000', '--rank', '3', '-o', at('data.tns'))
  const lines = (await readFile(at('data.tns'), 'utf8')).trimEnd().split('\n')
  // Repeated lines far apart, with comments and blank lines among them.
  const repeated = [
    ...lines,
    '# again',
    '',
    ...lines.slice(100, 400).map((line) => `${line}5`),
    ...lines.slice(0, 300),
  ]
  await writeFile(at('repeated.tns'), `${repeated.join('\n')}\n`)
  await writeTensor(at('data.npz'), await readTensor(at('data.tns')))
  const csv = lines.map((line) => line.split(/\s+/)).map(([i, j, k, x]) => `user${i},item${j},${k},${x}`)
  await writeFile(at('data.csv'), `user,item,week,rating\n${csv.join('\n')}\n`)
  await writeTensor(at('data.parquet'), await readTensor(at('data.csv'), { modes: columns, value: 'rating' }))
})

describe('a job of several processes', () => {
  const settings = [
    '--rank',
    '4',
    '--epochs',
    '4',
    '--threads',
    '1',
    '--validation',
    '0.1',
    '--test',
    '0.15',
    '--json',
  ]
  const table = ['--modes', ...columns, '--value', 'rating']
  const cases: [Launcher, number, string, ...string[]][] = [
    ['Open MPI', 3, 'data.tns', '--missing', 'zero'],
    ['Open MPI', 4, 'repeated.tns', '--duplicates', 'sum'],
    ['Open MPI', 2, 'data.npz', '--solver', 'paper'],
    ['Open MPI', 3, 'data.parquet', ...table, '--merge-modes', 'week,user', '--split', 'item:7'],
    ['MPICH', 2, 'data.csv', ...table, '--link', 'sqrt'],
    ['MPICH', 2, 'repeated.tns', '--duplicates', 'last'],
  ]
  it.each(cases)(
    'an MPI job on %s with %i processes learns from %s what one process learns',
    async (launcher, processes, file, ...more) => {
      const one = await alone('complete', at(file), ...more, ...settings, '-o', at('one.npz'))
      expect(one.code).toBe(0)
      const many = await onProcesses(
        launcher,
        processes,
        'complete',
        at(file),
        ...more,
        ...settings,
        '-o',
        at('many.npz'),
      )
      expect({ code: many.code, faults: sentences(many.stderr) }).toEqual({ code: 0, faults: [] })
      expect(await comparableModel(at('many.npz'))).toEqual(await comparableModel(at('one.npz')))
      const [single, together] = [one.stdout, many.stdout].map((text) => JSON.parse(text))
      expect(together.settings.processes).toBe(processes)
      for (const part of ['tensor', 'train', 'validation', 'test', 'meanOnTest', 'stopped'])
        expect(together[part]).toEqual(single[part])
      expect(many.stderr).toContain(`on ${processes} processes of 1 thread,`)
      expect(existsSync(at('many.npz.run'))).toBe(false)
    },
  )

  it('an MPI job prints an error of the file once, as one process does', async () => {
    const lines = (await readFile(at('data.tns'), 'utf8')).trimEnd().split('\n')
    await writeFile(at('twice.tns'), `${[...lines, '# twice', lines[5000], lines[17]].join('\n')}\n`)
    const one = await alone('complete', at('twice.tns'), '-q')
    const many = await onProcesses('Open MPI', 2, 'complete', at('twice.tns'), '-q')
    expect(many.code).toBe(2)
    expect(sentences(many.stderr)).toEqual([one.stderr.trimEnd()])
  })

  it('an MPI job prints an error of options or of the library once, and runs other commands on the root alone', async () => {
    const rank = await onProcesses('Open MPI', 2, 'complete', at('data.tns'), '--rank', '0')
    expect(rank.code).toBe(2)
    expect(rank.stderr.match(/must be a whole number/g)).toHaveLength(1)
    const missing = await onProcesses('Open MPI', 2, 'complete', at('not there.tns'))
    expect(missing.code).toBe(2)
    expect(sentences(missing.stderr)).toEqual([
      expect.stringMatching(/not there\.tns: there is no such file/),
    ])
    const library = await onProcesses(
      'Open MPI',
      2,
      'complete',
      at('data.tns'),
      '--mpi-library',
      at('data.tns'),
    )
    expect(library.code).toBe(2)
    expect(sentences(library.stderr)).toEqual([expect.stringMatching(/no MPI library .* --mpi-library/)])
    const foreign = await onProcesses(
      'Open MPI',
      2,
      'complete',
      at('data.tns'),
      '--mpi-library',
      'libmpich.so.12',
    )
    expect(foreign.code).toBe(2)
    expect(sentences(foreign.stderr)[0]).toMatch(/^lacuna: 2 processes were started, .* --mpi-library\.$/)
    const short = `[ $OMPI_COMM_WORLD_RANK = 1 ] && ulimit -v 4000000; exec "$0" "$@"`
    const wrapped = ['-c', short, process.execPath, main, 'complete', at('data.tns')]
    const limited = await startJob('Open MPI', 2, wrapped, 'bash').ended
    expect(sentences(limited.stderr)).toEqual([
      expect.stringMatching(
        /^lacuna: process 2 of 2: .* addresses, .* allow more with ulimit -v unlimited\.$/,
      ),
    ])
    const info = await onProcesses('Open MPI', 2, 'info', at('data.tns'), '--json')
    expect({ code: info.code, entries: JSON.parse(info.stdout).entries }).toEqual({ code: 0, entries: 6000 })
  })
})

describe('processes that differ', () => {
  /** Runs `complete` on some processes by a shell command that sees its arguments as "$@". */
  const differing = async (
    shell: string,
    processes = 2,
  ): Promise<{ code: number | null; sentences: string[] }> => {
    const args = ['complete', 'data.tns', '--epochs', '2', '--threads', '1', '-o', at('mixed.npz')]
    const command = ['-c', `cd ${folder}; ${shell}`, process.execPath, main, ...args]
    const { code, stderr } = await startJob('Open MPI', processes, command, 'bash').ended
    return { code, sentences: sentences(stderr) }
  }

  it('a process with another option is named with both values', async () => {
    expect(await differing('exec "$0" "$@" --rank $((10 + OMPI_COMM_WORLD_RANK / 2))', 3)).toEqual({
      code: 2,
      sentences: [
        'lacuna: Process 3 of 3 was started with --rank 11, process 1 with --rank 10: start all with the same command.',
      ],
    })
    expect(
      await differing('[ $OMPI_COMM_WORLD_RANK = 1 ] && more=--no-choose; exec "$0" "$@" $more'),
    ).toEqual({
      code: 2,
      sentences: [
        'lacuna: Process 2 of 2 was started with --no-choose, process 1 without: start all with the same command.',
      ],
    })
  })

  it('a process whose own arguments are wrong says so', async () => {
    expect(await differing('exec "$0" "$@" --rank $((1 - OMPI_COMM_WORLD_RANK))')).toEqual({
      code: 2,
      sentences: [expect.stringMatching(/^lacuna: process 2 of 2: .*--rank.* must be a whole number/)],
    })
  })

  it('a process of another version is named with both versions', async () => {
    const other = at('other/dist')
    await cp(dirname(main), other, { recursive: true })
    await symlink(join(dirname(main), '../../../node_modules'), at('other/node_modules'))
    const files = (await readdir(other)).filter((name) => name.startsWith('version-'))
    expect(files).toHaveLength(1)
    const text = await readFile(join(other, files[0]), 'utf8')
    await writeFile(join(other, files[0]), text.replace(version, '99.0.0'))
    const shell = `[ $OMPI_COMM_WORLD_RANK = 1 ] && shift && set -- ${join(other, 'lacuna.js')} "$@"; exec "$0" "$@"`
    expect(await differing(shell)).toEqual({
      code: 2,
      sentences: [
        `lacuna: Process 2 of 2 runs Lacuna 99.0.0, process 1 Lacuna ${version}: install the same version for all.`,
      ],
    })
  })

  it('a process that reads another file of the same size is named, and nothing is learned', async () => {
    const text = await readFile(at('data.tns'), 'utf8')
    const half = text.length / 2
    for (const rank of [0, 1, 2]) {
      await mkdir(at(`host${rank}`))
      const copy = rank === 2 ? text.slice(0, half) + text.slice(half).replace(/\.1/, '.2') : text
      await writeFile(at(`host${rank}/data.tns`), copy)
    }
    expect(await differing('cd host$OMPI_COMM_WORLD_RANK; exec "$0" "$@"', 3)).toEqual({
      code: 2,
      sentences: [
        'lacuna: Process 3 of 3 reads other data in data.tns than process 1: copy the same file to all machines.',
      ],
    })
    expect(existsSync(at('mixed.npz'))).toBe(false)
    expect((await differing('cd host$((OMPI_COMM_WORLD_RANK % 2)); exec "$0" "$@"')).code).toBe(0)
  })
})

describe('a job that is ended in the middle', () => {
  const settings = [
    '--rank',
    '12',
    '--solver',
    'paper',
    '--threads',
    '1',
    '--epochs',
    '1000000',
    '--checkpoint-every',
    '0.3',
  ]
  const start = (output: string, processes: number) =>
    startJob('Open MPI', processes, [main, 'complete', at('data.tns'), ...settings, '-o', at(output)])
  const isThere = (output: string): Promise<void> =>
    vi.waitFor(() => expect(existsSync(at(`${output}.run`))).toBe(true), { timeout: 60_000, interval: 50 })

  /** Expects that a job resumes on another number of processes, to the factors of an uninterrupted run. */
  async function expectResumes(output: string, processes: number): Promise<void> {
    const { progress } = decodeRun(await readFile(at(`${output}.run`)), output)
    const done = Math.floor(progress.epoch)
    expect(done).toBeGreaterThan(0)
    const settingsToEnd = [...settings, '--epochs', String(done + 50)]
    const unbroken = alone('complete', at('data.tns'), ...settingsToEnd, '-o', at('whole.npz'))
    expect((await unbroken).code).toBe(0)
    const resume = [...settingsToEnd, '-o', at(output), '--resume']
    const resumed = await onProcesses('Open MPI', processes, 'complete', at('data.tns'), ...resume)
    expect(resumed.code).toBe(0)
    expect(resumed.stderr).toMatch(new RegExp(`Going on from .*, after ${done}(\\.\\d+)? epochs`))
    expect(await comparableModel(at(output))).toEqual(await comparableModel(at('whole.npz')))
  }

  it('an MPI job ends soon after kill -9 of any process, leaves its checkpoint, and resumes on fewer processes to the same bits', async () => {
    const seed = Date.now()
    const job = start('killed.npz', 3)
    await isThere('killed.npz')
    const children = execFileSync('pgrep', ['-P', String(job.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const victim = below(draw(stream(seed, 0), 0), children.length)
    process.kill(Number(children[victim]), 'SIGKILL')
    const { code, stderr } = await job.ended
    const which = `child ${victim}, by the seed ${seed}`
    expect(code, which).not.toBe(0)
    expect(stderr, which).toMatch(/signal 9/)
    expect(existsSync(at('killed.npz')), which).toBe(false)
    // Nobody may be left to wait for a dead process.
    const state = (pid: string): Promise<string> => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone')
    for (const child of children)
      await vi.waitFor(async () => expect(await state(child), which).toMatch(/^gone$|\) Z /), {
        timeout: 10_000,
      })
    await expectResumes('killed.npz', 2)
  })

  it.each([
    ['SIGINT', 2, 3],
    ['SIGTERM', 2, 1],
    ['SIGUSR2', 3, 2],
  ] as const)(
    'an MPI job that gets %s saves once, prints how to resume, and resumes from %i processes on %i',
    async (signal, before, after) => {
      const output = `${signal}.npz`
      const job = start(output, before)
      await isThere(output)
      process.kill(job.pid, signal)
      const { code, stderr } = await job.ended
      // Open MPI ends with a code of its own where it was told to end.
      expect(code).toBe(signal === 'SIGUSR2' ? 140 : 1)
      expect(stderr.match(/Interrupted\. To go on:/g)).toHaveLength(1)
      expect(stderr).toMatch(new RegExp(`^ {2}mpirun -n ${before} .* --resume$`, 'm'))
      await expectResumes(output, after)
    },
  )
})
