/** How fast files become tensors and models, beside a bare read of the same file, in interleaved rounds. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openFile, readModel, readTensor, writeFileWhole, writeModel } from '../io/node/index.ts'
import { DIMS, type IoFiles, makeFiles } from './ioFiles.ts'
import { median } from './median.ts'
import type { TableReading } from './tableReading.ts'

export interface IoBench {
  dims: readonly number[]
  rows: number
  rounds: number
  files: FileRow[]
  tables: TableRow[]
}

export interface FileRow {
  what: string
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
  onProgress: (line: string) => void
}

export async function runIoBench({ rows, rounds, onProgress }: IoBenchOptions): Promise<IoBench> {
  const folder = await mkdtemp(join(tmpdir(), 'lacuna-bench-'))
  try {
    const made = await makeFiles(folder, rows, onProgress)
    const files: FileRow[] = []
    for (const task of fileTasks(made, folder)) files.push(await measureFile(task, rows, rounds, onProgress))
    const tables: TableRow[] = []
    for (const task of tableTasks) tables.push(await measureTable(task, made.csv, rows, rounds, onProgress))
    return { dims: DIMS, rows, rounds, files, tables }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface FileTask {
  what: string
  path: string
  work(): Promise<unknown>
  bare(): Promise<unknown>
  hasEntries?: boolean
}

function fileTasks({ tns, packed, npz, model }: IoFiles, folder: string): FileTask[] {
  const copy = join(folder, 'copy.npz')
  return [
    { what: 'read .tns', path: tns, hasEntries: true, work: () => readTensor(tns), bare: () => pass(tns) },
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

async function measureFile(
  { what, path, work, bare, hasEntries }: FileTask,
  rows: number,
  rounds: number,
  onProgress: (line: string) => void,
): Promise<FileRow> {
  const { size } = await stat(path)
  const times = { work: [] as number[], bare: [] as number[] }
  // The first of each is not counted: it compiles the code and brings the file into memory.
  await bare()
  await work()
  for (let round = 1; round <= rounds; round++) {
    onProgress(`${what}, round ${round} of ${rounds}`)
    times.bare.push(await secondsOf(bare))
    times.work.push(await secondsOf(work))
  }
  const seconds = median(times.work)
  const bareSeconds = median(times.bare)
  return {
    ...{ what, byteLength: size, seconds, megabytesPerSecond: size / 1e6 / seconds },
    ...(hasEntries && { entriesPerSecond: rows / seconds }),
    ...{ bareSeconds, ratio: seconds / bareSeconds },
  }
}

interface TableTask {
  what: string
  /** Of `readTable`. */
  options: object
}

const tableTasks: readonly TableTask[] = [
  { what: 'CSV, ids as they are', options: { recipe: 'movielens' } },
  {
    what: 'CSV, ids coded',
    options: { modes: ['userId', 'movieId', 'week(timestamp)'], value: 'rating' },
  },
]

async function measureTable(
  { what, options }: TableTask,
  path: string,
  rows: number,
  rounds: number,
  onProgress: (line: string) => void,
): Promise<TableRow> {
  const readings: TableReading[] = []
  const bare: number[] = []
  for (let round = 1; round <= rounds; round++) {
    onProgress(`${what}, round ${round} of ${rounds}`)
    bare.push(await secondsOf(() => pass(path)))
    const reading = await readAlone(path, options)
    if (reading.entries !== rows) throw new Error(`${what}: ${reading.entries} entries of ${rows} rows.`)
    readings.push(reading)
  }
  const seconds = median(readings.map((reading) => reading.seconds))
  const bareSeconds = median(bare)
  const peakBytes = Math.max(...readings.map((reading) => reading.peakBytes))
  const { tensorBytes } = readings[0]
  return {
    ...{ what, byteLength: (await stat(path)).size, seconds, rowsPerSecond: rows / seconds },
    ...{ tensorBytes, peakBytes, peakRatio: peakBytes / tensorBytes },
    ...{ bareSeconds, ratio: seconds / bareSeconds },
  }
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
