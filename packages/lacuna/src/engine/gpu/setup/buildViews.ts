/**
 * Builds the views of a problem on a device from the columns of its entries: copies, counts, places and sorts
 * them (wgsl/setup.ts), and sums their values. Tables of rows and bins pass through the memory of the
 * process; records do not.
 */

import { cellsOf } from '../../../tensor/index.ts'
import { chooseScales, digestOf, emptyRowsOf, leastWindow } from '../../cpu/index.ts'
import type { SetStatistics, Statistics } from '../../engine.ts'
import type { Device } from '../device.ts'
import type { SubmissionQueue } from '../submission.ts'
import { type Tables, tablesOf } from '../tables.ts'
import { SUMMED_RECORDS } from '../wgsl/setup.ts'
import { countRows, type PlannedView, readRowLengths } from './countRows.ts'
import { type DividedView, divideRows, placeViews, readBins, type ViewSlices } from './placeView.ts'
import type { PreparedEntries } from './prepareEntries.ts'
import { compileSetUp, SetUpWork, WORK_PER_ENTRY } from './setUpWork.ts'

/** The views of a problem on a device. */
export interface BuiltViews {
  tables: Tables
  /** The records of the training entries by every mode. */
  modes: ViewSlices[]
  /** The records of the other sets by the first mode, by name. */
  sets: ReadonlyMap<string, ViewSlices>
  statistics: Statistics
  /** Whether training entries have equal coordinates. */
  isRepeated: boolean
}

/**
 * Builds the views. Throws an InputError for the first invalid entry, or if the device has too little memory.
 * @param own registers a buffer that stays; the caller destroys it, also if this throws
 */
export async function buildViews(
  device: Device,
  queue: SubmissionQueue,
  entries: PreparedEntries,
  own: (buffer: GPUBuffer) => GPUBuffer,
): Promise<BuiltViews> {
  const work = new SetUpWork(device, queue, await compileSetUp(device), entries)
  try {
    return await build(work, own)
  } finally {
    work.close()
  }
}

/** Builds the views with the given buffers and kernels. */
async function build(work: SetUpWork, own: (buffer: GPUBuffer) => GPUBuffer): Promise<BuiltViews> {
  const { dims, sources, zeros, unknown, isProbeAll } = work.entries
  const order = dims.length
  const planned: PlannedView[] = []
  for (const source of sources) planned.push(...(await countRows(work, source)))
  work.queue.flush()
  // The device counts meanwhile.
  const { values } = sources[0].tensor
  const scales = chooseScales(sumOfSquares(values), values.length, order)
  const { lengths, digest } = await readRowLengths(work, planned)
  const views = await divideRows(work, planned, lengths)
  await readBins(work, views)
  const modes = views.slice(0, order)
  const others = views.slice(order).map((view) => [view.name!, view] as const)
  const tables = tablesOf(modes, new Map(others), Math.max(1, leastWindow(modes[0].segment)))
  const allTables = [...tables.modes, ...tables.sets.values()]
  const { slices: placed, repeated } = await placeViews(work, views, allTables, scales.values, own)
  const measured = views.flatMap((view, v) => (view.name === undefined ? [] : [{ view, slices: placed[v] }]))
  const { sums, isRepeated } = await sumValues(work, measured, repeated)
  const sets: Record<string, SetStatistics> = {}
  measured.forEach(({ view: { name, starts, source } }, i) => {
    const count = zeros && name === 'train' ? cellsOf(dims) - unknown : starts[starts.length - 1]
    sets[name!] = { entries: count, ...sums[i], ...(!source.tensor.weights && { weight: count }) }
  })
  if (isProbeAll) sets.probe = sets.train
  return {
    tables,
    modes: placed.slice(0, order),
    sets: new Map(others.map(([name], i) => [name, placed[order + i]])),
    isRepeated,
    statistics: {
      dims,
      sets,
      emptyRows: modes.map((view) => emptyRowsOf(view.lengths)),
      valueScale: scales.values,
      factorScale: scales.factors,
      digest: digestOf(digest, dims),
    },
  }
}

/** The sum of the squares of values, in float64. */
function sumOfSquares(values: Float32Array): number {
  // Four sums, since each addition waits for the one before it.
  let [a, b, c, d] = [0, 0, 0, 0]
  const whole = values.length - (values.length % 4)
  for (let e = 0; e < whole; e += 4) {
    a += values[e] ** 2
    b += values[e + 1] ** 2
    c += values[e + 2] ** 2
    d += values[e + 3] ** 2
  }
  for (let e = whole; e < values.length; e++) a += values[e] ** 2
  return a + b + (c + d)
}

/** Sums the weights and values of views on the device, and reads whether coordinates are repeated. */
async function sumValues(
  work: SetUpWork,
  measured: readonly { view: DividedView; slices: ViewSlices }[],
  repeated: GPUBuffer,
): Promise<{ sums: Omit<SetStatistics, 'entries'>[]; isRepeated: boolean }> {
  const { queue, device, kernels } = work
  const parts = measured.flatMap(({ view, slices }, v) =>
    slices.map(({ buffer, records: [from, to] }) => {
      return { v, view, records: buffer, count: to - from, groups: Math.ceil((to - from) / SUMMED_RECORDS) }
    }),
  )
  const buffers = await work.create(...parts.map(({ groups }) => 16 * groups))
  for (const [i, { view, records, count, groups }] of parts.entries()) {
    const { dims, weights } = view.source.tensor
    const words = { order: dims.length, words: view.words, count, isWeighted: weights !== undefined }
    await work.add(kernels.valueSums, [records, buffers[i]], words, groups, WORK_PER_ENTRY * count)
  }
  queue.flush()
  const [flag, ...read] = await device.read([
    { buffer: repeated, byteLength: 4 },
    ...parts.map(({ groups }, i) => ({ buffer: buffers[i], byteLength: 16 * groups })),
  ])
  const sums = measured.map(() => ({ weight: 0, squares: 0, absolutes: 0 }))
  parts.forEach(({ v }, i) => {
    for (let at = 0; at < read[i].length; at += 4) {
      sums[v].weight += read[i][at]
      sums[v].squares += read[i][at + 1]
      sums[v].absolutes += read[i][at + 2]
    }
  })
  return { sums, isRepeated: new Uint32Array(flag.buffer)[0] !== 0 }
}
