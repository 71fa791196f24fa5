/**
 * Speed of reading and writing files, by threads, beside a bare read or write of the same bytes, in
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
import type { TableReading } from './readTableAlone.ts'

/** Rank of the problem that an engine is loaded with. */
const RANK = 10

/** Result of measureIo. */
export interface IoBench {
  dims: readonly number[]
  rows: number
  rounds: number
  files: FileRow[]
  tables: TableRow[]
}

/** Medians of one kind of file. */
export interface FileRow {
  what: string
  /** Number of threads, where several can take part. */
  threads?: number
  /** Size of the file. */
  byteLength: number
  seconds: number
  megabytesPerSecond: number
  /** Undefined for models. */
  entriesPerSecond?: number
  /** Seconds to read, unpack or write the same bytes and nothing else. */
  bareSeconds: number
  /** seconds / bareSeconds */
  ratio: number
}

/** Medians of reading a table in its own process. */
export interface TableRow {
  what: string
  threads: number
  byteLength: number
  seconds: number
  rowsPerSecond: number
  tensorBytes: number
  peakBytes: number
  /** Peak memory of the process divided by the size of the tensor. */
  peakRatio: number
  bareSeconds: number
  ratio: number
}

/** Options of measureIo. */
export interface IoBenchOptions {
  /** Ratings in the files. */
  rows: number
  rounds: number
  threads: readonly number[]
  onProgress: (line: string) => void
}

/** Makes files in a temporary folder, measures them and removes them. */
export async function measureIo({ rows, rounds, threads, onProgress }: IoBenchOptions): Promise<IoBench> {
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

/** A measurement of one kind of file: the work, and the bare read or write of the same bytes. */
interface FileTask {
  what: string
  threads?: number
  path: string
  work(): Promise<unknown>
  bare(): Promise<unknown>
  hasEntries?: boolean
}

/** Returns the measurements of tensor and model files. @param folder for files that are written */
function fileTasks(
  { tns, packed, npz, model }: IoFiles,
  folder: string,
  threads: readonly number[],
): FileTask[] {
  const copy = join(folder, 'copy.npz')
  return [
    ...threads.flatMap((n): FileTask[] => {
      const common = { path: tns, threads: n, hasEntries: true, bare: () => readBytes(tns) }
      return [
        { ...common, what: 'read .tns', work: () => readTensor(tns, { threads: n }) },
        { ...common, what: 'read .tns, load engine', work: () => loadEngine(tns, n) },
      ]
    }),
    {
      what: 'read .tns.gz',
      path: packed,
      hasEntries: true,
      work: () => readTensor(packed),
      bare: () => readBytes(packed),
    },
    {
      what: 'write model .npz',
      path: npz,
      work: () => writeModel(copy, model),
      bare: () => writeBytes(copy, npz),
    },
    { what: 'read model .npz', path: npz, work: () => readModel(npz, 'single'), bare: () => readBytes(npz) },
  ]
}

/** Reads a file and loads it on an engine, up to the point where it could iterate. */
async function loadEngine(path: string, threads: number): Promise<void> {
  const engine = cpuEngine({ threads })
  try {
    const tensor = await readTensor(path, { threads })
    await engine.load({ tensor, rank: RANK, momentumFactors: true, seed: 1 })
  } finally {
    await engine.close()
  }
}

/** Reads (and unpacks) a file and discards its content. @returns the number of unpacked bytes */
async function readBytes(path: string): Promise<number> {
  let bytes = 0
  for await (const piece of (await openFile(path)).source) bytes += piece.length
  return bytes
}

/**
 * Writes and syncs a file of as many zeros as another file has bytes.
 * @param like the path of the other file
 */
async function writeBytes(path: string, like: string): Promise<void> {
  await writeFileWhole(path, [new Uint8Array((await stat(like)).size)])
}

/**
 * Measures the tasks in interleaved rounds, each beside its bare read or write.
 * @param rows the entries of a file
 */
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
      if (round > 0) onProgress(`${taskName(what, threads)}, round ${round} of ${rounds}`)
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
        ...{ what, threads, byteLength: size, seconds },
        megabytesPerSecond: size / 1e6 / seconds,
        entriesPerSecond: hasEntries ? rows / seconds : undefined,
        ...{ bareSeconds, ratio: seconds / bareSeconds },
      }
    }),
  )
}

/** Names a task in progress lines, with its number of threads if it has one. */
const taskName = (what: string, threads: number | undefined): string =>
  threads === undefined ? what : `${what} by ${threads} ${threads === 1 ? 'thread' : 'threads'}`

/** A measurement of reading the table with some options. */
interface TableTask {
  what: string
  threads: number
  /** Options of `readTable`. */
  options: object
}

/** Returns the measurements of the table, for each number of threads. */
const tableTasks = (threads: readonly number[]): TableTask[] =>
  threads.flatMap((n) => [
    { what: 'CSV, ids as they are', threads: n, options: { recipe: 'movielens', threads: n } },
    {
      what: 'CSV, ids coded',
      threads: n,
      options: { modes: ['userId', 'movieId', 'week(timestamp)'], value: 'rating', threads: n },
    },
  ])

/**
 * Measures the tasks in interleaved rounds, each in a process of its own, beside a bare read; throws if the
 * number of entries is not that of the rows.
 * @param path of the table
 * @param rows of the table
 */
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
      onProgress(`${taskName(what, threads)}, round ${round} of ${rounds}`)
      found[t].bare.push(await secondsOf(() => readBytes(path)))
      const reading = await readInProcess(path, options)
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

/** Reads a table in a process of its own (readTableAlone.ts), and returns the measurements that it prints. */
async function readInProcess(path: string, options: object): Promise<TableReading> {
  const script = fileURLToPath(new URL('./readTableAlone.js', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [script, path, JSON.stringify(options)])
  return JSON.parse(stdout)
}

/** Runs work and returns its duration in seconds. */
async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return (performance.now() - start) / 1000
}
