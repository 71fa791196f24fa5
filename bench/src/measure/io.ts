/**
 * How fast files become tensors and models, by the number of threads that read, beside a bare read of the same file, in
 * interleaved rounds.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readModel, readTensor, writeModel } from 'lacuna'
import { cpuEngine, openFile, writeFileWhole } from 'lacuna/internal'
import { DIMS, type IoFiles, makeFiles } from './ioFiles.ts'
import { median } from './median.ts'
import type { TableReading } from './tableReading.ts'

/** Of the problem that an engine is loaded with. */
const RANK = 10

export interface IoBench {
  dims: readonly number[]
  rows: number
  rounds: number
  files: FileRow[]
  tables: TableRow[]
}

export interface FileRow {
  what: string
  /** Where several may do it. */
  threads?: number
  /** Of the file. */
  byteLength: number
  seconds: number
  megabytesPerSecond: number
  /** Absent for models. */
  entriesPerSecond?: number
  /** The same bytes read, unpacked or written, and nothing made of them. */
  bareSeconds: number
  /** Against that. */
  ratio: number
}

export interface TableRow {
  what: string
  threads: number
  byteLength: number
  seconds: number
  rowsPerSecond: number
  tensorBytes: number
  peakBytes: number
  /** The most memory of the whole process, against the tensor's own size. */
  peakRatio: number
  bareSeconds: number
  ratio: number
}

export interface IoBenchOptions {
  rows: number
  rounds: number
  threads: readonly number[]
  onProgress: (line: string) => void
}

export async function runIoBench({ rows, rounds, threads, onProgress }: IoBenchOptions): Promise<IoBench> {
  const folder = await mkdtemp(join(tmpdir(), 'lacuna-bench-'))
  try {
    const made = await makeFiles(folder, rows, onProgress)
    const files = await measureFiles(fileTasks(made, folder, threads), rows, rounds, onProgress)
    const tables = await measureTables(tableTasks(threads), made.csv, rows, rounds, onProgress)
    return { dims: DIMS, rows, rounds, files, tables }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface FileTask {
  what: string
  threads?: number
  path: string
  work(): Promise<unknown>
  bare(): Promise<unknown>
  hasEntries?: boolean
}

function fileTasks(
  { tns, packed, npz, model }: IoFiles,
  folder: string,
  threads: readonly number[],
): FileTask[] {
  const copy = join(folder, 'copy.npz')
  return [
    ...threads.flatMap((n): FileTask[] => {
      const of = { path: tns, threads: n, hasEntries: true, bare: () => pass(tns) }
      return [
        { ...of, what: 'read .tns', work: () => readTensor(tns, { threads: n }) },
        { ...of, what: 'read .tns, load engine', work: () => loadEngine(tns, n) },
      ]
    }),
    {
      what: 'read .tns.gz',
      path: packed,
      hasEntries: true,
      work: () => readTensor(packed),
      bare: () => pass(packed),
    },
    {
      what: 'write model .npz',
      path: npz,
      work: () => writeModel(copy, model),
      bare: () => writeBytes(copy, npz),
    },
    { what: 'read model .npz', path: npz, work: () => readModel(npz), bare: () => pass(npz) },
  ]
}

/** From a file to an engine that could begin to iterate. */
async function loadEngine(path: string, threads: number): Promise<void> {
  const engine = cpuEngine({ threads })
  try {
    const tensor = await readTensor(path, { threads })
    await engine.load({ tensor, rank: RANK, momentumFactors: true, seed: 1 })
  } finally {
    await engine.close()
  }
}

/** Reads (and unpacks) a file and drops what it reads. */
async function pass(path: string): Promise<number> {
  let bytes = 0
  for await (const piece of (await openFile(path)).source) bytes += piece.length
  return bytes
}

/** As many bytes as a file has, written and synced like any result. */
async function writeBytes(path: string, like: string): Promise<void> {
  await writeFileWhole(path, [new Uint8Array((await stat(like)).size)])
}

async function measureFiles(
  tasks: readonly FileTask[],
  rows: number,
  rounds: number,
  onProgress: (line: string) => void,
): Promise<FileRow[]> {
  const times = tasks.map(() => ({ work: [] as number[], bare: [] as number[] }))
  // The first of each is not counted: it compiles the code and brings the file into memory.
  for (let round = 0; round <= rounds; round++)
    for (const [t, { what, threads, work, bare }] of tasks.entries()) {
      if (round > 0) onProgress(`${named(what, threads)}, round ${round} of ${rounds}`)
      const [bareSeconds, seconds] = [await secondsOf(bare), await secondsOf(work)]
      if (round === 0) continue
      times[t].bare.push(bareSeconds)
      times[t].work.push(seconds)
    }
  return Promise.all(
    tasks.map(async ({ what, threads, path, hasEntries }, t): Promise<FileRow> => {
      const { size } = await stat(path)
      const seconds = median(times[t].work)
      const bareSeconds = median(times[t].bare)
      return {
        ...{ what, ...(threads !== undefined && { threads }), byteLength: size, seconds },
        megabytesPerSecond: size / 1e6 / seconds,
        ...(hasEntries && { entriesPerSecond: rows / seconds }),
        ...{ bareSeconds, ratio: seconds / bareSeconds },
      }
    }),
  )
}

const named = (what: string, threads: number | undefined): string =>
  threads === undefined ? what : `${what} by ${threads} ${threads === 1 ? 'thread' : 'threads'}`

interface TableTask {
  what: string
  threads: number
  /** Of `readTable`. */
  options: object
}

const tableTasks = (threads: readonly number[]): TableTask[] =>
  threads.flatMap((n) => [
    { what: 'CSV, ids as they are', threads: n, options: { recipe: 'movielens', threads: n } },
    {
      what: 'CSV, ids coded',
      threads: n,
      options: { modes: ['userId', 'movieId', 'week(timestamp)'], value: 'rating', threads: n },
    },
  ])

async function measureTables(
  tasks: readonly TableTask[],
  path: string,
  rows: number,
  rounds: number,
  onProgress: (line: string) => void,
): Promise<TableRow[]> {
  const found = tasks.map(() => ({ readings: [] as TableReading[], bare: [] as number[] }))
  for (let round = 1; round <= rounds; round++)
    for (const [t, { what, threads, options }] of tasks.entries()) {
      onProgress(`${named(what, threads)}, round ${round} of ${rounds}`)
      found[t].bare.push(await secondsOf(() => pass(path)))
      const reading = await readAlone(path, options)
      if (reading.entries !== rows) throw new Error(`${what}: ${reading.entries} entries of ${rows} rows.`)
      found[t].readings.push(reading)
    }
  const { size } = await stat(path)
  return tasks.map(({ what, threads }, t) => {
    const { readings, bare } = found[t]
    const seconds = median(readings.map((reading) => reading.seconds))
    const bareSeconds = median(bare)
    const peakBytes = Math.max(...readings.map((reading) => reading.peakBytes))
    const { tensorBytes } = readings[0]
    return {
      ...{ what, threads, byteLength: size, seconds, rowsPerSecond: rows / seconds },
      ...{ tensorBytes, peakBytes, peakRatio: peakBytes / tensorBytes },
      ...{ bareSeconds, ratio: seconds / bareSeconds },
    }
  })
}

async function readAlone(path: string, options: object): Promise<TableReading> {
  const script = fileURLToPath(new URL('./tableReading.js', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, path, JSON.stringify(options)])
  return JSON.parse(stdout)
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
