/**
 * Loads a problem: counts, places and sorts its entries into the views of partitions, with the threads of a
 * pool and the other processes.
 */

import { availableMemory } from '../../../base/memory.ts'
import { uint32Array } from '../../../base/sharedArrays.ts'
import * as at from '../../../kernels/solve/layout.ts'
import { cellsOf, checkNotEmpty } from '../../../tensor/index.ts'
import type { Covariances, Problem, Statistics } from '../../engine.ts'
import { writeControl } from '../memory/control.ts'
import type { PartitionMemory } from '../memory/layout.ts'
import {
  checkKernelLayout,
  exclusiveRows,
  layOutPartitions,
  planSharedRows,
  writeDescription,
  writeSharedRowTables,
} from '../memory/partitions.ts'
import { checkPlan, planPartitions } from '../memory/plan.ts'
import { toSharedTensor } from '../memory/sharedTensor.ts'
import { writeGroups } from '../steps/posterior/groups.ts'
import { compileKernel } from '../threads/compileKernel.ts'
import type { PlaceInput, ThreadSetup } from '../threads/messages.ts'
import { formGroup } from '../threads/threadGroup.ts'
import { threadsForLoading } from '../threads/threadsForWork.ts'
import type { ProblemWorkers } from '../threads/workers.ts'
import { countViews, type View } from './count/countViews.ts'
import { buildCells } from './grid/cells.ts'
import { orderKeys } from './place/order.ts'
import { routeEntries } from './place/routeEntries.ts'
import {
  chooseScales,
  digestOf,
  emptyRowsOf,
  meanWeightsOf,
  refuseWeightedZeros,
  resolveSize,
} from './problemEntries.ts'
import { type SetUpTimes, stopwatch } from './setUpTimes.ts'
import { countSets, entriesOf, sourcesOf, viewsBySet } from './viewSources.ts'
import { withUnknown } from './zeros.ts'

/** A loaded problem in the memories of this process. */
export interface LoadedPartitions {
  /** The partitions of this process. */
  parts: readonly PartitionMemory[]
  /** The number of the view whose errors are those of a set, by the name of the set. */
  viewOf: ReadonlyMap<string, number>
  /** Per view, the error sums of all processes' chunks, and the first chunk of each partition. */
  errorSums: ThreadSetup['errorSums']
  /** Where unlisted cells are zeros: Σ y² and Σ y over all cells as of the last measurement of errors. */
  totals: Float64Array | undefined
  statistics: Omit<Statistics, 'sets'>
  /** The number of entries of each set over all processes, by the name of the set. */
  entries: ReadonlyMap<string, number>
  rank: number
  momentumFactors: boolean
  posterior: Covariances | undefined
  /** The numbers of the views whose entries have weights. */
  weightedViews: readonly number[]
  times: Omit<SetUpTimes, 'values'>
  /** Per view, the most entries of a row that is one segment. */
  segments: readonly number[]
}

/** The resources of an engine with which a problem is loaded. */
export interface LoadingContext extends ProblemWorkers {
  /** The fewest partitions per process. */
  leastParts: number
  /**
   * Returns a memory of at least this size, filled with zeros; for a shared thread group, a new one of this
   * size.
   */
  takeMemory(byteLength: number): WebAssembly.Memory
}

/**
 * Checks and counts the entries, plans and allocates the partitions of this process, opens the problem on the
 * threads, and places and sorts the entries there. All processes call it together. Throws an InputError if an
 * entry is invalid or the memory does not suffice.
 * @param number the number of the problem on its engine
 * @param start when loading began, by performance.now()
 */
export async function loadPartitions(
  context: LoadingContext,
  number: number,
  problem: Problem,
  start?: number,
): Promise<LoadedPartitions> {
  const lap = stopwatch(start)
  const { pool, members, communicator, group, leastParts, takeMemory } = context
  const { rank, momentumFactors, seed, zeros = false } = problem
  const { dims } = problem.tensor
  const entries = await countSets(problem, communicator)
  const trainEntries = entries.get('train')!
  for (const count of entries.values()) checkNotEmpty(count)
  const meanWeights = await meanWeightsOf(problem, communicator)
  const weighted = meanWeights.has('train')
  if (zeros && weighted) throw refuseWeightedZeros()
  const sets = Object.fromEntries([...entries].filter(([name]) => name !== 'train'))
  const size = { ...resolveSize(problem, trainEntries, weighted), sets }
  const { probe, posterior, strata } = size
  const plan = planPartitions(size, group.threads, leastParts, group.size)
  await communicator.failTogether(() =>
    checkPlan(plan, availableMemory() / (group.isShared ? 1 : communicator.hostSize)),
  )

  const unknown = zeros ? Object.values(sets).reduce((sum, count) => sum + count, 0) : 0
  const total = trainEntries + unknown
  entries.set('train', total)
  const listed = await communicator.failTogether(() =>
    zeros ? withUnknown(problem.tensor, Object.values(problem.sets ?? {})) : toSharedTensor(problem.tensor),
  )
  const sources = sourcesOf(listed, total, probe, problem, meanWeights)
  const keys = orderKeys(seed, dims.length)
  const { padded } = plan.layout
  const module = await compileKernel(padded)
  const times = { start: lap(), count: 0, layOut: 0, place: 0, sort: 0 }
  const loading = await chooseLoaders(context, problem)
  const { views, counted, counting } = await countViews(loading, module, sources, entries, keys, padded)
  times.count = lap()
  const layouts = layOutPartitions(views, plan.parts, group.size, {
    rank,
    momentumFactors,
    zeros,
    posterior,
    strata: strata ? total : 0,
    dims,
    // All groups must compute the same partitions, even if their numbers of threads differ.
    threads: group.mostThreads,
  })
  const partsEach = layouts.length / group.size
  const firstPart = group.rank * partsEach
  const { values: valueScale, factors: factorScale } = chooseScales(counted.squares, total, dims.length)
  const parts = await communicator.failTogether(() =>
    layouts
      .slice(firstPart, firstPart + partsEach)
      .map((layout) => ({ memory: takeMemory(layout.byteLength), layout })),
  )
  for (const { memory } of parts) await group.share(memory)
  checkKernelLayout(module, parts[0].memory, parts[0].layout, dims.length)
  const emptyRows = dims.map((_, mode) => emptyRowsOf(views[mode].lengths))
  const observed = dims.map((dim, mode) => dim - emptyRows[mode].length)
  const owned = dims.map((_, mode) =>
    views[mode].slices.map((slice) => exclusiveRows(slice, views[mode].first)),
  )
  const shared = dims.map((_, mode) => planSharedRows(views[mode]))
  if (group.isLeader)
    parts.forEach((part, k) => {
      writeControl(part.memory, part.layout.control, loading.group)
      writeTables(part, firstPart + k, views, shared, posterior)
    })
  const errorSums = views.map(({ chunks, slices }) => ({
    sums: sharedFloat64(2 * chunks.count),
    firstChunks: slices.map(({ firstChunk }) => firstChunk),
  }))
  const segments = views.map(({ segment }) => segment)
  const totals = sharedFloat64(2)
  const noiseSums = sharedFloat64(posterior ? 3 * at.NOISE_BINS * views[0].chunks.count : 0)
  const setup = {
    threads: group.threads,
    parts,
    firstPart,
    segments,
    zeros,
    observed,
    owned,
    shared,
    errorSums,
    totals,
    rank,
    posterior,
    noiseSums,
  }
  await pool.ask(members, (member) => {
    const positions = group.positionsOf(member)
    // The first thread alone learns from side information.
    const sideInformation = posterior ? sideInformationFor(problem, positions.thread) : undefined
    return { type: 'open', problem: number, setup: { ...setup, ...positions, sideInformation }, module }
  })
  await group.barrier()
  const input = {
    views: sources.map(({ source }) => source),
    keys,
    borders: views.map(segmentBorders),
    valueScale,
    counting,
  }
  times.layOut = lap()
  try {
    await placeAndSort(loading, number, problem, input, times, lap)
  } catch (error) {
    await pool.ask(members, () => ({ type: 'close', problem: number }))
    throw error
  }
  if (strata) {
    const lengths = dims.map((_, mode) => views[mode].lengths)
    await buildCells(loading, number, parts, lengths, seed)
  }

  const viewOf = viewsBySet(sources, dims.length, probe !== undefined)
  return {
    parts,
    viewOf,
    errorSums,
    totals: zeros ? totals : undefined,
    rank,
    momentumFactors,
    posterior,
    times,
    segments,
    weightedViews: sources.flatMap(({ source }, v) => (source.meanWeight === undefined ? [] : [v])),
    entries: new Map(
      [...viewOf].map(([name, v]) => [
        name,
        zeros && v === 0 ? cellsOf(dims) - unknown : entriesOf(views[v]),
      ]),
    ),
    statistics: {
      dims,
      emptyRows,
      valueScale,
      factorScale,
      digest: digestOf(counted.digest, dims),
    },
  }
}

/**
 * Writes the tables of a partition that the kernels read: the descriptions of its views, the plans of rows that it
 * shares with other partitions and, for covariances of groups, the groups of rows.
 * @param number the number of the partition over all processes
 * @param shared per mode, the plan of the shared rows
 */
function writeTables(
  part: PartitionMemory,
  number: number,
  views: readonly View[],
  shared: readonly ReturnType<typeof planSharedRows>[],
  posterior: Covariances | undefined,
): void {
  const order = shared.length
  views.forEach((view, v) => {
    writeDescription(part, view, view.slices[number], v, order)
  })
  shared.forEach((rows, mode) => {
    writeSharedRowTables(part, rows, views[mode].shared, mode)
  })
  if (posterior === 'groups')
    for (let mode = 0; mode < order; mode++) writeGroups(part, mode, views[mode].lengths)
}

/** Makes an array of zeros in shared memory, if threads can share memory. */
const sharedFloat64 = (length: number): Float64Array => new Float64Array(uint32Array(2 * length).buffer)

/** The first segment of each slice of a view, and the end of the last. */
const segmentBorders = ({ slices }: View): number[] => [
  ...slices.map(({ firstSegment }) => firstSegment),
  slices[slices.length - 1].endSegment,
]

/** The threads that load a problem: fewer than those that solve it where entries are few. Collective. */
async function chooseLoaders(context: LoadingContext, { tensor }: Problem): Promise<LoadingContext> {
  const { members, communicator, allThreads } = context
  if (allThreads) return context
  const loaders = members.slice(0, threadsForLoading(tensor.values.length, members.length))
  return { ...context, members: loaders, group: await formGroup(communicator, loaders.length) }
}

/**
 * Places the records of all entries in the views and sorts them. With several thread groups the entries are
 * first sent to those that own them. Calls `problem.onRepeated` in all processes if coordinates are repeated.
 * @param number the number of the problem on its engine
 * @param times receives the seconds of both phases
 * @param lap returns the seconds since its last call
 */
async function placeAndSort(
  context: LoadingContext,
  number: number,
  problem: Problem,
  input: PlaceInput,
  times: Pick<SetUpTimes, 'place' | 'sort'>,
  lap: () => number,
): Promise<void> {
  const { pool, members, communicator, group } = context
  if (group.size > 1) {
    await routeEntries(context, number, input)
    times.place = lap()
  }
  const type = group.size > 1 ? 'sort' : 'place'
  const request = { type, problem: number, input, threads: group.threads } as const
  const answers = (await pool.ask(members, () => request)) as number[][]
  const seconds = lap()
  const placing = Math.max(...answers.map(([seconds]) => seconds))
  times.place += placing
  times.sort = seconds - placing
  const own = answers.reduce((sum, [, repeated]) => sum + repeated, 0)
  const [repeated] = await communicator.sumNumbers(own)
  if (repeated > 0) await communicator.failTogether(() => problem.onRepeated?.(), 'unnamed')
}

/** Side information for a thread: threads other than the first only get which modes have any. */
const sideInformationFor = ({ sideInformation }: Problem, thread: number): Problem['sideInformation'] =>
  sideInformation?.map((side) => (side && thread > 0 ? {} : side))
