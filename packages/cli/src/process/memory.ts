/**
 * The memory of a whole job: the program, the tensor and what reading it takes, and what the engine plans.
 * Planned from a first look at the file, so that what cannot fit is refused before it is read; and again when
 * it has been read.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Engine, InputError, type RunOptions } from 'lacuna'
import {
  availableMemory,
  type EnginePlan,
  estimateTensor,
  formatBytes,
  type ProblemSize,
  sizeOfRun,
} from 'lacuna/internal'
import { formatCount } from '../print/format.ts'

/** Node and Lacuna with nothing to do, and each further thread: measured on Node 20. */
const PROGRAM_BYTES = 74 * 2 ** 20
const THREAD_BYTES = 10 * 2 ** 20
/** An MPI library, and the memory by which the processes of a machine speak: with Open MPI 4.1. */
const MPI_BYTES = 16 * 2 ** 20

export interface JobPlan extends EnginePlan {
  /** What there was to take when it was planned. */
  available: number
}

/**
 * What a process takes. columns: of indices that the tensor has. heldOut: entries that are held beside the
 * training entries. reading: what reading takes beside the tensor. holders: processes that have a share of
 * the tensor when it has been read.
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
  // What reading takes is given back before the engine takes its part; only the larger counts.
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
 * Refuses a job whose files are too large, by a first look at them; says what reading them takes beside the
 * tensor.
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
  // Shares of a file are checked for duplicates elsewhere: they are held twice for a moment.
  const copies = holders > 1 ? 4 * (order + 2) * entries : 0
  const reading = (estimates.reduce((sum, estimate) => sum + estimate.reading, 0) + copies) / holders
  const weighted = options.weight !== undefined
  const plan = planJob(engine, sizeOfRun({ dims, entries, weighted }, options), { reading, holders })
  refuseJob(plan, `${files.join(' ')}: about ${formatCount(roundTo(entries))} entries of ${order} modes`)
  return reading
}

/** `what` would take too much. */
export function refuseJob(plan: JobPlan, what: string): void {
  // What this process has taken already is part of the plan.
  const available = plan.available + process.memoryUsage.rss()
  if (plan.byteLength > available)
    throw new InputError(
      'memory',
      `${what} would take ${describeJob(plan)}; there are ${formatBytes(available)}. Use a smaller rank or fewer entries.`,
    )
}

/** The same for a job that only reads. */
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
        `${file}: reading up to ${formatCount(roundTo(entries))} entries of ${order} modes would take ` +
          `${formatBytes(bytes)} of memory; there are ${formatBytes(available)}. Save fewer of them.`,
      )
  }
}

/** Two digits are all that a first look gives. */
const roundTo = (n: number): number => (n < 100 ? n : Number(n.toPrecision(2)))

export function describeJob({ byteLength, items }: EnginePlan): string {
  const shown = items.filter((item) => item.byteLength >= 0.005 * byteLength)
  return `${formatBytes(byteLength)} of memory (${shown.map((item) => `${item.name} ${formatBytes(item.byteLength)}`).join(', ')})`
}

/** Less than this is not worth the time of looking for it. */
const MUCH = 2 ** 25

/**
 * Gives back at once what is left behind, where that may be much: the system would see it as used until the
 * next collection. shared: bytes of arrays that threads share among it, which Node does not count.
 */
export function collectGarbage(shared = 0): void {
  const { heapUsed, external } = process.memoryUsage()
  if (heapUsed + external + shared < MUCH) return
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
