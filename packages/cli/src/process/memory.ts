/**
 * The memory of a whole job: the program, the tensor, reading it, and the engine. It is planned from an
 * estimate before a file is read, so that a job that cannot fit is refused at once, and again when the file
 * has been read.
 */
import { existsSync, readFileSync } from 'node:fs'
import { type Engine, InputError, type RunOptions, type SparseTensor } from 'lacuna'
import {
  availableMemory,
  bytesAfterReading,
  collectGarbage as collectNow,
  type DuplicatePolicy,
  type EnginePlan,
  estimateTensor,
  type FoldsToPlan,
  formatBytes,
  modelBytes,
  type ProblemSize,
  planFolds,
  sizeOfRun,
  stateBytes,
} from 'lacuna/internal'
import { formatCount } from '../print/format.ts'

/** Memory of the idle program, measured on Node 20. */
const PROGRAM_BYTES = 74 * 2 ** 20
/** Memory of each worker thread, measured on Node 20. */
const THREAD_BYTES = 10 * 2 ** 20
/** Growth of a thread's heap while it learns a prior, measured on Node 20. */
const PRIOR_THREAD_BYTES = 8 * 2 ** 20
/** Memory of the MPI library and of its shared buffers, measured with Open MPI 4.1. */
const MPI_BYTES = 16 * 2 ** 20

/** Bytes per row of a mode beside the engine's: numbers of entries and segments, while and after it loads. */
const ROW_BYTES = 48
/** Bytes per entry while duplicates are found and merged: hashes, first entries, sums, errors and counts. */
const MERGE_BYTES = 40
/** Bytes of a label beside its characters: a string, references to it, and an entry of a dictionary. */
const STRING_BYTES = 64

/** The memory of a whole job, in bytes. */
export interface JobPlan extends EnginePlan {
  /** Memory that was available when the job was planned. */
  available: number
}

/** The memory of a job beside that of the problem on its engine. */
export interface JobDetails {
  /** Index columns of the tensor in memory; its order by default. */
  columns?: number
  /** Number of entries in memory beside the training entries; 0 by default. */
  heldOut?: number
  /** Whether held-out entries are split off, which copies all entries; false by default. */
  isSplit?: boolean
  /** Bytes of the labels of rows; 0 by default. */
  labels?: number
  /** Bytes that reading takes beside the tensor, and those of them that stay; none by default. */
  reading?: ReadingBytes
  /** Number of processes over which the entries are distributed after reading; 1 by default. */
  holders?: number
  /** Whether there is a link, under which the values are copied; false by default. */
  isLinked?: boolean
  /** Whether checkpoints are saved; false by default. */
  isSaved?: boolean
  /** The cross-fit, if there is one; none by default. */
  folds?: FoldsToPlan
}

/** Bytes that reading takes. */
export interface ReadingBytes {
  /** Most bytes beside the tensor. */
  most: number
  /** Bytes that stay when it is done: code, and heaps that have grown. */
  rest: number
}

/**
 * Plans the memory of one process: what it always holds (program, tensor, labels), and the largest of what it
 * takes one after another: reading, splitting, solving with a checkpoint or the model, and a cross-fit.
 */
export function planJob(
  engine: Engine & { threads?: number },
  size: ProblemSize,
  details: JobDetails = {},
): JobPlan {
  const { columns = size.dims.length, heldOut = 0, isSplit, labels = 0, holders = 1 } = details
  const { reading = { most: 0, rest: 0 }, isLinked = false, isSaved = false, folds } = details
  const plan = engine.plan(size)
  const library = (engine.communicator?.size ?? 1) > 1 ? MPI_BYTES : 0
  const perThread = THREAD_BYTES + (size.posterior ? PRIOR_THREAD_BYTES : 0)
  const program = PROGRAM_BYTES + library + (engine.threads ?? 1) * perThread + reading.rest
  const words = columns + (size.weighted ? 2 : 1)
  const tensor = Math.ceil((4 * words * (size.entries + heldOut)) / holders)
  const copies = Math.max(modelBytes(size) + 2 * labels, isSaved ? stateBytes(size) : 0)
  const always = [
    { name: 'program', byteLength: program },
    { name: 'tensor', byteLength: tensor },
    { name: 'rows', byteLength: ROW_BYTES * size.dims.reduce((sum, rows) => sum + rows, 0) },
    ...(labels > 0 ? [{ name: 'labels', byteLength: labels }] : []),
  ]
  const crossFit = folds ? planFolds(engine, size, folds) : 0
  // With missing: 'zero' the engine makes a list of all entries of all sets.
  const listed = size.zeros ? [{ name: 'listed cells', byteLength: tensor }] : []
  const values = Math.ceil((4 * (size.entries + heldOut)) / holders)
  const linked = isLinked ? [{ name: 'transformed values', byteLength: values }] : []
  const solving = [...plan.items, ...listed, ...linked, { name: 'copies of factors', byteLength: copies }]
  const phases = [
    { byteLength: solving.reduce((sum, { byteLength }) => sum + byteLength, 0), items: solving },
    ...[
      { name: 'folds', byteLength: crossFit },
      { name: 'reading', byteLength: reading.most },
      { name: 'splitting', byteLength: isSplit ? tensor + values : 0 },
    ].map((item) => ({ byteLength: item.byteLength, items: [item] })),
  ]
  const { items } = phases.reduce((most, phase) => (phase.byteLength > most.byteLength ? phase : most))
  const all = [...always, ...items]
  return {
    byteLength: all.reduce((sum, { byteLength }) => sum + byteLength, 0),
    parts: plan.parts,
    items: all,
    backend: plan.backend,
    available: availableMemory() / (engine.communicator?.hostSize ?? 1),
  }
}

/**
 * Estimates from their first lines and sizes what reading the files of a job takes, and throws if the job is
 * too large for the memory. Files without an estimate, such as pipes, are not refused.
 * @param details what the job holds beside the entries; the fraction of them that is held out
 * @param holders number of processes over which the entries are distributed
 */
export async function refuseTooLarge(
  files: readonly string[],
  engine: Engine,
  options: Pick<RunOptions, 'solver' | 'rank' | 'maxInner' | 'missing' | 'prior'> & {
    modes?: readonly string[]
    weight?: string
    query?: string
    duplicates?: DuplicatePolicy
  },
  details: Pick<JobDetails, 'isSplit' | 'isSaved' | 'folds'>,
  holders = 1,
): Promise<ReadingBytes> {
  const { modes, weight, query, duplicates = 'error' } = options
  const found = await Promise.all(files.map((file) => estimateTensor(file, modes?.length)))
  const estimates = found.filter((estimate) => estimate !== undefined)
  const rest = Math.max(0, ...files.map((file) => bytesAfterReading(file, query !== undefined)))
  if (estimates.length === 0 || estimates.length < files.length) return { most: 0, rest }
  const [{ order, dims }] = estimates
  const entries = estimates.reduce((sum, estimate) => sum + estimate.entries, 0)
  // Shards are checked for duplicates in other processes: they are in memory twice for a moment.
  const copies = holders > 1 ? 4 * (order + 2) * entries : 0
  const merging = duplicates === 'error' ? 0 : MERGE_BYTES * entries
  const parsing = estimates.reduce((sum, estimate) => sum + estimate.reading, 0)
  const most = (Math.max(parsing, merging) + copies) / holders
  const reading = { most, rest }
  const size = sizeOfRun({ dims, entries, weighted: weight !== undefined }, options)
  refuseJob(
    planJob(engine, size, { ...details, reading, holders }),
    `${files.join(' ')}: about ${formatCount(roundEstimate(entries))} entries of ${order} modes`,
  )
  return reading
}

/** Throws if a job would take more memory than there is. @param what the job in words, for the message */
export function refuseJob(plan: JobPlan, what: string): void {
  // Memory that this process has taken already is part of the plan.
  const available = plan.available + process.memoryUsage.rss()
  if (plan.byteLength <= available) return
  const hasFolds = plan.items.some(({ name }) => name === 'folds')
  const advice = hasFolds ? 'fewer threads (each learns a model), a smaller rank' : 'a smaller rank'
  throw new InputError(
    'memory',
    `${what} would take ${describeJob(plan)}; there are ${formatBytes(available)}. Use ${advice} or fewer entries.`,
  )
}

/** Throws if a file is too large to be read into memory, for a job that only reads. */
export async function refuseUnreadable(files: readonly string[]): Promise<void> {
  const available = availableMemory()
  for (const file of files) {
    const estimate = await estimateTensor(file)
    if (!estimate) continue
    const { entries, order, reading } = estimate
    const bytes = 4 * (order + 1) * entries + reading
    if (bytes > available)
      throw new InputError(
        'memory',
        `${file}: reading up to ${formatCount(roundEstimate(entries))} entries of ${order} modes would take ` +
          `${formatBytes(bytes)} of memory; there are ${formatBytes(available)}. Save fewer of them.`,
      )
  }
}

/** About how many bytes the labels of a tensor take: their characters, and a string each. */
export function labelBytes({ labels = [] }: Pick<SparseTensor, 'labels'>): number {
  let bytes = 0
  for (const column of labels) for (const label of column ?? []) bytes += label.length + STRING_BYTES
  return bytes
}

/** Rounds an estimate to two significant digits; numbers below 100 stay. */
const roundEstimate = (n: number): number => (n < 100 ? n : Number(n.toPrecision(2)))

/** The memory of a plan in words, with its items of at least 0.5%: `1.2 GB of memory (tensor 0.8 GB, …)`. */
export function describeJob({ byteLength, items }: EnginePlan): string {
  const shown = items.filter((item) => item.byteLength >= 0.005 * byteLength)
  return `${formatBytes(byteLength)} of memory (${shown.map((item) => `${item.name} ${formatBytes(item.byteLength)}`).join(', ')})`
}

/** Bytes that the idle program has in use, none of which is garbage. */
const IDLE_BYTES = 24 * 2 ** 20

/**
 * Collects garbage at once if there may be much: otherwise the system counts it as used until the next
 * collection.
 * @param shared bytes of shared arrays among the garbage, which Node does not count
 */
export function collectGarbage(shared = 0): void {
  const { heapUsed, external } = process.memoryUsage()
  collectNow(heapUsed + external + shared - IDLE_BYTES)
}

/**
 * Returns the planned and the largest resident memory of this process so far, in bytes, for reports. Linux
 * knows the latter (VmHWM); elsewhere it may be that of the process that started this one.
 */
export function memoryReport(planned: number): { plannedMemory: number; peakMemory: number } {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'latin1') : ''
  const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS)
  return { plannedMemory: planned, peakMemory: 1024 * peak }
}
