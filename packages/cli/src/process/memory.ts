/**
 * The memory of a whole job: the program, the tensor, reading it, and the engine. It is planned from an
 * estimate before a file is read, so that a job that cannot fit is refused at once, and again when the file
 * has been read.
 */
import { type Engine, InputError, type RunOptions } from 'lacuna'
import {
  availableMemory,
  collectGarbage as collectNow,
  type EnginePlan,
  estimateTensor,
  formatBytes,
  type ProblemSize,
  sizeOfRun,
} from 'lacuna/internal'
import { formatCount } from '../print/format.ts'

/** Memory of the idle program, measured on Node 20. */
const PROGRAM_BYTES = 74 * 2 ** 20
/** Memory of each worker thread, measured on Node 20. */
const THREAD_BYTES = 10 * 2 ** 20
/** Memory of the MPI library and of its shared buffers, measured with Open MPI 4.1. */
const MPI_BYTES = 16 * 2 ** 20

/** The memory of a whole job, in bytes. */
export interface JobPlan extends EnginePlan {
  /** Memory that was available when the job was planned. */
  available: number
}

/**
 * Plans the memory of one process: program, threads, tensor, and the larger of reading and engine.
 * @param columns index columns of the tensor in memory (default: its order)
 * @param heldOut number of entries in memory beside the training entries
 * @param reading bytes that reading takes beside the tensor
 * @param holders number of processes over which the entries are distributed after reading
 */
export function planJob(
  engine: Engine & { threads?: number },
  size: ProblemSize,
  {
    columns = size.dims.length,
    heldOut = 0,
    reading = 0,
    holders = 1,
  }: { columns?: number; heldOut?: number; reading?: number; holders?: number } = {},
): JobPlan {
  const plan = engine.plan(size)
  const library = (engine.communicator?.size ?? 1) > 1 ? MPI_BYTES : 0
  const program = PROGRAM_BYTES + library + (engine.threads ?? 1) * THREAD_BYTES
  const words = columns + (size.weighted ? 2 : 1)
  const tensor = Math.ceil((4 * words * (size.entries + heldOut)) / holders)
  const items = [
    { name: 'program', byteLength: program },
    { name: 'tensor', byteLength: tensor },
    ...plan.items,
  ]
  // Memory of reading is freed before the engine allocates; only the larger of both counts.
  const more = reading - plan.byteLength
  if (more > 0) items.push({ name: 'more while reading', byteLength: more })
  return {
    byteLength: items.reduce((sum, { byteLength }) => sum + byteLength, 0),
    parts: plan.parts,
    items,
    backend: plan.backend,
    available: availableMemory() / (engine.communicator?.hostSize ?? 1),
  }
}

/**
 * Throws if the files of a job are too large for the memory, by estimates from their first lines and sizes.
 * Files without an estimate, such as pipes, are not refused.
 * @param holders number of processes over which the entries are distributed
 * @returns bytes that reading takes beside the tensor; 0 if there is no estimate
 */
export async function refuseTooLarge(
  files: readonly string[],
  engine: Engine,
  options: Pick<RunOptions, 'solver' | 'rank' | 'maxInner'> & {
    modes?: readonly string[]
    weight?: string
  },
  holders = 1,
): Promise<number> {
  const found = await Promise.all(files.map((file) => estimateTensor(file, options.modes?.length)))
  const estimates = found.filter((estimate) => estimate !== undefined)
  if (estimates.length === 0 || estimates.length < files.length) return 0
  const [{ order, dims }] = estimates
  const entries = estimates.reduce((sum, estimate) => sum + estimate.entries, 0)
  // Shards are checked for duplicates in other processes: they are in memory twice for a moment.
  const copies = holders > 1 ? 4 * (order + 2) * entries : 0
  const reading = (estimates.reduce((sum, estimate) => sum + estimate.reading, 0) + copies) / holders
  const weighted = options.weight !== undefined
  const plan = planJob(engine, sizeOfRun({ dims, entries, weighted }, options), { reading, holders })
  refuseJob(
    plan,
    `${files.join(' ')}: about ${formatCount(roundEstimate(entries))} entries of ${order} modes`,
  )
  return reading
}

/** Throws if a job would take more memory than there is. @param what the job in words, for the message */
export function refuseJob(plan: JobPlan, what: string): void {
  // Memory that this process has taken already is part of the plan.
  const available = plan.available + process.memoryUsage.rss()
  if (plan.byteLength > available)
    throw new InputError(
      'memory',
      `${what} would take ${describeJob(plan)}; there are ${formatBytes(available)}. Use a smaller rank or fewer entries.`,
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
