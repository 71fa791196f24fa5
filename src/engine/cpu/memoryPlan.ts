import { InputError } from '../../inputError.ts'
import { CONTROL_BYTES, MODE_OTHERS } from '../../kernels/layout.ts'
import { paddedRank } from './kernel.ts'
import { availableMemory } from './platform.ts'
import { mostTasks, splitBytes, taskBytes } from './tasks.ts'

/**
 * Where everything lies in the shared memory. It follows from sizes alone, so that it is known, printed and
 * refused before any memory is taken. Addresses are bytes.
 */
export interface MemoryPlan {
  padded: number
  control: number
  /** Per thread. */
  scratch: readonly number[]
  modes: readonly ModePlan[]
  /** The views that errors are summed over: mode 1 of each set of entries. */
  errors: { train: ErrorPlan; validation?: ErrorPlan; probe?: ErrorPlan }
  partials: number
  byteLength: number
  /** What it is made of, for people. */
  parts: readonly { name: string; byteLength: number }[]
}

export interface ViewPlan {
  rows: number
  entries: number
  rowStart: number
  records: number
}

export interface TaskPlan {
  descriptor: number
  tasks: number
  taskBytes: number
  splits: number
  splitBytes: number
}

export interface ModePlan extends TaskPlan {
  view: ViewPlan
  factor: number
  companion: number
  /** v of the gradient step. */
  scale: number
  /** The mean of the factor's rows. */
  mean: number
  /** The lengths of the factor's columns, in float64. */
  norms: number
}

export interface ErrorPlan extends TaskPlan {
  view: ViewPlan
  sums: number
}

export interface ProblemSize {
  dims: readonly number[]
  entries: number
  validationEntries?: number
  probeEntries?: number
  rank: number
  companions: boolean
  threads: number
}

/** A WebAssembly memory ends at 4 GiB. */
const MOST_BYTES = 2 ** 32

export function planMemory(size: ProblemSize): MemoryPlan {
  const { dims, entries, rank, threads, companions, validationEntries = 0, probeEntries = 0 } = size
  const padded = paddedRank(rank)
  const order = dims.length
  const rowBytes = 4 * padded
  const parts = new Map<string, number>()
  let end = 0

  function take(part: string, bytes: number): number {
    const address = end
    end += Math.ceil(bytes / 64) * 64
    parts.set(part, (parts.get(part) ?? 0) + (end - address))
    return address
  }

  function takeView(part: string, rows: number, count: number): ViewPlan {
    return {
      rows,
      entries: count,
      rowStart: take(part, 4 * (rows + 1)),
      records: take(part, 4 * order * count),
    }
  }

  function takeTasks(rows: number, count: number): TaskPlan {
    const most = mostTasks(rows, count, padded)
    return {
      descriptor: take('tasks', MODE_OTHERS + 4 * order),
      tasks: take('tasks', taskBytes(most)),
      taskBytes: taskBytes(most),
      splits: take('tasks', splitBytes(most)),
      splitBytes: splitBytes(most),
    }
  }

  function takeErrors(view: ViewPlan): ErrorPlan {
    return {
      view,
      ...takeTasks(view.rows, view.entries),
      sums: take('tasks', 16 * mostTasks(view.rows, view.entries, padded).tasks),
    }
  }

  const control = take('threads', CONTROL_BYTES)
  const scratch = Array.from({ length: threads }, () => take('threads', scratchBytes(padded)))
  const modes = dims.map((rows) => ({
    view: takeView('entries', rows, entries),
    ...takeTasks(rows, entries),
    factor: take('factors', rows * rowBytes),
    companion: companions ? take('factors', rows * rowBytes) : 0,
    scale: take('factors', rowBytes),
    mean: take('factors', rowBytes),
    norms: take('factors', 2 * rowBytes),
  }))
  const train = takeErrors(modes[0].view)
  const takeSet = (part: string, count: number): ErrorPlan | undefined =>
    count > 0 ? takeErrors(takeView(part, dims[0], count)) : undefined
  const errors = {
    train,
    validation: takeSet('validation', validationEntries),
    probe: takeSet('probe', probeEntries),
  }
  const mostPartials = Math.max(...dims.map((rows) => mostTasks(rows, entries, padded).partials))
  const partials = take('partial sums', mostPartials * partialBytes(padded))

  return {
    ...{ padded, control, scratch, modes, partials, errors, byteLength: end },
    parts: [...parts].map(([name, byteLength]) => ({ name, byteLength })),
  }
}

// The kernels know these too; the engine checks that they agree.
export const partialBytes = (padded: number): number => 4 * padded * (padded + 1)
const blockEntries = (padded: number): number => (padded <= 64 ? 64 : padded <= 128 ? 32 : 16)
export const scratchBytes = (padded: number): number =>
  64 + 4 * blockEntries(padded) * (padded + 2) + partialBytes(padded) + 8 * padded

/** Refuses what cannot fit, with a sentence that says how much is needed. */
export function checkMemory(plan: MemoryPlan): void {
  const need = `This problem needs ${describeMemory(plan)}`
  if (plan.byteLength > MOST_BYTES)
    throw new InputError(
      'memory',
      `${need}; one process has at most 4 GiB for it. Use a smaller rank or fewer entries.`,
    )
  const available = availableMemory()
  if (plan.byteLength > available)
    throw new InputError(
      'memory',
      `${need}; this machine has ${formatBytes(available)} left. Use a smaller rank or fewer entries.`,
    )
}

export function describeMemory(plan: MemoryPlan): string {
  const parts = plan.parts.map(({ name, byteLength }) => `${name} ${formatBytes(byteLength)}`)
  return `${formatBytes(plan.byteLength)} of memory (${parts.join(', ')})`
}

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const amount = bytes / 1024 ** unit
  return `${amount.toFixed(unit === 0 || amount >= 100 ? 0 : 1)} ${units[unit]}`
}
