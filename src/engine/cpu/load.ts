/** From entries to parts: counts, cuts, places and sorts them, with the threads of a pool. */
import { InputError } from '../../inputError.ts'
import * as at from '../../kernels/layout.ts'
import { availableMemory } from '../../memory.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import type { Problem, Statistics } from '../engine.ts'
import { compileKernel, instantiateKernel } from './kernel.ts'
import {
  layOut,
  layOutCounting,
  longestSegment,
  MOST_PART_BYTES,
  orderScratchBytes,
  type PartLayout,
  partialBytes,
  scratchBytes,
} from './layout.ts'
import type { Counted, Loading, Opening, SharedRowPlan, ViewSource } from './messages.ts'
import { type OrderKeys, orderKeys } from './order.ts'
import { checkPlan, mostHandedOver, planParts } from './plan.ts'
import type { Pool } from './pool.ts'
import {
  type Chunks,
  cutChunks,
  dealChunks,
  firstSegments,
  leastWindow,
  type Share,
  type SharedRow,
  segmentSize,
  sharedRows,
  writeChunks,
} from './segments.ts'
import { shareable } from './shareable.ts'

/** A problem as it lies in memory. */
export interface LoadedParts {
  parts: readonly { memory: WebAssembly.Memory; layout: PartLayout }[]
  /** The view whose errors a set's are. */
  viewOf: ReadonlyMap<string, number>
  /** Per mode and part, the rows that are its alone; a companion is right there alone, and in rows that are shared. */
  owned: Opening['owned']
  statistics: Omit<Statistics, 'sets'>
  entries: ReadonlyMap<string, number>
  rank: number
  companions: boolean
}

/** A view on the way to its place. */
interface View {
  name: string
  source: ViewSource
  /** S */
  segment: number
  lengths: Uint32Array
  first: Uint32Array
  /** Of all segments. */
  segmentLengths: Uint32Array
  chunks: Chunks
  shares: readonly Share[]
  shared: readonly SharedRow[]
}

export async function loadParts(
  pool: Pool,
  members: readonly number[],
  number: number,
  problem: Problem,
  leastParts: number,
  takeMemory: (byteLength: number) => WebAssembly.Memory,
): Promise<LoadedParts> {
  const { rank, companions, seed } = problem
  const { dims } = problem.tensor
  const threads = members.length
  const total = problem.tensor.values.length
  const sizes = Object.fromEntries(
    Object.entries(problem.sets ?? {}).map(([name, set]) => [name, set.values.length]),
  )
  const plan = planParts(
    { dims, entries: total, sets: sizes, probe: problem.probe, rank, companions },
    threads,
    leastParts,
  )
  checkPlan(plan, availableMemory())

  const train = shareable(problem.tensor)
  const sources = sourcesOf(train, problem)
  const keys = orderKeys(seed, dims.length)
  const { padded } = plan.layout
  const module = await compileKernel(padded)
  const { views, counted } = await countViews(pool, members, module, sources, keys, padded)
  const layouts = layOutParts(views, plan.parts, { rank, companions, dims, threads })
  const { values: valueScale, factors: factorScale } = scaling(counted, total, dims.length)
  const placing = {
    views: sources.map(({ source }) => source),
    keys,
    borders: views.map(({ shares }) => [
      ...shares.map(({ firstSegment }) => firstSegment),
      shares[shares.length - 1].endSegment,
    ]),
    valueScale,
  }
  const memories = layouts.map(({ byteLength }) => takeMemory(byteLength))
  checkKernel(module, memories[0], layouts[0], dims.length)
  const loaded = layouts.map((layout, k) => ({ memory: memories[k], layout }))
  const observed = dims.map((_, mode) =>
    views[mode].lengths.reduce((sum, length) => sum + (length > 0 ? 1 : 0), 0),
  )
  const owned = dims.map((_, mode) => views[mode].shares.map((share) => ownRows(share, views[mode].first)))
  const shared = dims.map((_, mode) => planShared(views[mode]))
  loaded.forEach((part, k) => {
    new Uint32Array(part.memory.buffer)[(part.layout.control + at.CONTROL_THREADS) / 4] = threads
    views.forEach((view, v) => {
      describe(part, view, view.shares[k], v, dims.length)
    })
    shared.forEach((rows, mode) => {
      writeTables(part, rows, views[mode].shared, mode)
    })
  })
  const opening = {
    threads,
    parts: loaded,
    segments: views.map(({ segment }) => segment),
    observed,
    owned,
    shared,
  }
  await pool.ask(members, (thread) => ({
    type: 'open',
    problem: number,
    opening: { ...opening, thread },
    module,
  }))
  await pool.ask(members, () => ({ type: 'place', problem: number, placing }))
  await pool.ask(members, () => ({ type: 'sort', problem: number, placing }))

  const viewOf = new Map<string, number>([['train', 0]])
  sources.forEach(({ name }, v) => {
    if (v >= dims.length) viewOf.set(name, v)
  })
  if (problem.probe !== undefined && !viewOf.has('probe')) viewOf.set('probe', 0)
  return {
    parts: loaded,
    viewOf,
    owned,
    rank,
    companions,
    entries: new Map([...viewOf].map(([name, v]) => [name, entriesOf(views[v])])),
    statistics: {
      dims,
      emptyRows: dims.map((_, mode) => emptyRows(views[mode].lengths)),
      valueScale,
      factorScale,
      digest: digestOf(counted, dims),
    },
  }
}

/** The training entries by every mode, then the other sets by the first. */
function sourcesOf(
  train: SparseTensor,
  { sets = {}, probe }: Problem,
): { name: string; source: ViewSource }[] {
  const total = train.values.length
  const sources: { name: string; source: ViewSource }[] = train.dims.map((_, mode) => ({
    name: 'entries',
    source: { tensor: train, mode },
  }))
  for (const [name, set] of Object.entries(sets))
    sources.push({ name, source: { tensor: shareable(set), mode: 0 } })
  if (probe !== undefined && probe < total)
    sources.push({
      name: 'probe',
      source: { tensor: train, mode: 0, below: Math.ceil((probe / total) * 2 ** 32) },
    })
  return sources
}

/** The one that comes first in the input, whoever found it. */
function refuseFaults(
  counted: readonly Counted[],
  sources: readonly { name: string; source: ViewSource }[],
): void {
  const faults = counted.flatMap(({ fault }) => fault ?? [])
  if (faults.length === 0) return
  const { view, entry, mode } = faults.reduce((a, b) =>
    b.view < a.view || (b.view === a.view && b.entry < a.entry) ? b : a,
  )
  const { name, source } = sources[view]
  const { dims, indices, values } = source.tensor
  const where = name === 'entries' ? `Entry ${entry}` : `Entry ${entry} of ${name}`
  if (mode === undefined)
    throw new InputError('value', `${where} has the value ${values[entry]}; values must be finite.`)
  throw new InputError(
    'index',
    `${where} has index ${indices[mode][entry]} in mode ${mode + 1}; it must be a whole number from 0 to ${dims[mode] - 1}.`,
  )
}

/** Counts the entries by row, and by segment where rows have several; checks them on the way. */
async function countViews(
  pool: Pool,
  members: readonly number[],
  module: WebAssembly.Module,
  sources: readonly { name: string; source: ViewSource }[],
  keys: OrderKeys,
  padded: number,
): Promise<{ views: View[]; counted: Counted[] }> {
  const { dims } = sources[0].source.tensor
  const layout = layOutCounting(
    sources.map(({ source }) => {
      const { values } = source.tensor
      const rows = dims[source.mode]
      return {
        rows,
        segments: rows + Math.ceil((2 * values.length) / segmentSize(values.length, padded)) + 1,
      }
    }),
    dims.length,
    members.length,
  )
  // Not one of the engine's memories: it is gone when the entries are in their places.
  const pages = Math.ceil(layout.byteLength / 65536)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  const loading: Loading = { views: sources.map(({ source }) => source), keys, layout }
  const counted = (await pool.ask(members, (thread) => ({
    type: 'count',
    module,
    memory,
    loading,
    thread,
  }))) as Counted[]
  refuseFaults(counted, sources)

  const cut = sources.map(({ name, source }, v) => {
    const { rows, ...at } = layout.views[v]
    const lengths = new Uint32Array(memory.buffer, at.lengths, rows)
    // The probe's size is its own, not that of the entries it is taken from.
    const segment = segmentSize(sum(lengths), padded)
    const first = firstSegments(lengths, segment, new Uint32Array(memory.buffer, at.first, rows + 1))
    const segmentLengths = new Uint32Array(memory.buffer, at.segmentLengths, first[rows])
    return { name, source, lengths, segment, first, segmentLengths }
  })
  const long = cut.flatMap(({ lengths, first }, v) => (first[lengths.length] > lengths.length ? [v] : []))
  if (long.length > 0)
    await pool.ask(members, (thread) => ({ type: 'countSegments', module, memory, loading, long, thread }))
  const views = cut.map((view, v) => {
    const { lengths, first, segmentLengths } = view
    if (!long.includes(v)) segmentLengths.set(lengths)
    else
      for (let p = 0; p < lengths.length; p++)
        if (first[p + 1] - first[p] === 1) segmentLengths[first[p]] = lengths[p]
    return { ...view, chunks: cutChunks(lengths, view.segment), shares: [], shared: [] }
  })
  return { views, counted }
}

/** Deals the views to parts, more than planned if chance has made one too large. */
function layOutParts(
  views: View[],
  planned: number,
  {
    rank,
    companions,
    dims,
    threads,
  }: { rank: number; companions: boolean; dims: readonly number[]; threads: number },
): PartLayout[] {
  const order = dims.length
  for (let parts = planned; ; parts++) {
    for (const view of views) {
      view.shares = dealChunks(view.chunks, parts, view.first, view.segmentLengths)
      view.shared = sharedRows(view.shares, view.first)
    }
    const modes = views.slice(0, order)
    const longest = Math.max(
      2,
      ...modes.flatMap(({ shared }) => shared.map(({ bounds }) => bounds[bounds.length - 1])),
    )
    const layouts = Array.from({ length: parts }, (_, k) =>
      layOut({
        order,
        rank,
        threads,
        companions,
        segment: Math.max(...views.map(({ segment }) => segment)),
        dims,
        views: views.map(({ name, shares }, v) => ({
          name,
          entries: shares[k].entries,
          segments: shares[k].endSegment - shares[k].firstSegment,
          chunks: shares[k].endChunk - shares[k].firstChunk,
          hasErrors: v === 0 || v >= order,
        })),
        partials: Math.max(...modes.map(({ shares }) => shares[k].longSegments)),
        parts,
        sharedWords: modes.map(({ shared }) => shared.reduce((sum, row) => sum + tableWords(row), 0)),
        handedOver: modes.some(({ shared }) => shared.length > 0) ? mostHandedOver(longest) : 0,
        first: k === 0,
      }),
    )
    if (layouts.every(({ byteLength }) => byteLength <= MOST_PART_BYTES)) return layouts
  }
}

/**
 * Data of any size, 10⁻³⁰ or 10³⁰, is solved near 1, where float32 neither overflows nor vanishes. With values divided by
 * 2^(Nj) and factors by 2^j the problem stays the same; as both are powers of two, not one bit of the solution changes.
 */
function scaling(
  counted: readonly Counted[],
  entries: number,
  N: number,
): { values: number; factors: number } {
  const squares = counted.reduce((sum, one) => sum + one.squares, 0)
  const rms = Math.sqrt(squares / entries)
  const j = rms > 0 ? Math.round(Math.log2(rms) / N) : 0
  return { values: 2 ** (-N * j), factors: 2 ** -j }
}

function checkKernel(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  { padded }: PartLayout,
  order: number,
): void {
  const kernel = instantiateKernel(module, memory)
  const agree =
    kernel.partialBytes() === partialBytes(padded) &&
    kernel.scratchBytes() <= scratchBytes(padded) &&
    kernel.orderScratchBytes(longestSegment(100), order) <= orderScratchBytes(longestSegment(100), order)
  if (!agree) throw new Error('The kernels and the layout of the memory disagree: build again.')
}

/** The rows that a part shares with no other. */
function ownRows(share: Share, first: Uint32Array): { from: number; to: number } {
  if (share.firstChunk === share.endChunk) return { from: 0, to: 0 }
  const { firstRow, firstIndex, lastRow, endIndex } = share
  const from = firstIndex > 0 ? firstRow + 1 : firstRow
  const to = endIndex < first[lastRow + 1] - first[lastRow] ? lastRow : lastRow + 1
  return { from, to: Math.max(from, to) }
}

const tableWords = ({ bounds }: SharedRow): number => 2 * bounds.length

/** Which parts have what of the rows that they share, and where their sums go. */
function planShared({ shares, shared }: View): SharedRowPlan[] {
  let table = 0
  return shared.map((row) => {
    const sharers: SharedRowPlan['parts'][number][] = []
    for (let p = 0; p + 1 < row.bounds.length; p++) {
      const part = row.firstPart + p
      const [begin, end] = [row.bounds[p], row.bounds[p + 1]]
      if (begin === end) continue
      // Its segments come first of a part's that are of long rows, or last.
      const slots = p > 0 ? -begin : shares[part].longSegments - end
      sharers.push({ part, slots, half: p > 0 ? 0 : 1 })
    }
    const plan = { row: row.row, table: 4 * table, parts: sharers }
    table += tableWords(row)
    return plan
  })
}

function writeTables(
  { memory, layout }: LoadedParts['parts'][number],
  rows: readonly SharedRowPlan[],
  shared: readonly SharedRow[],
  mode: number,
): void {
  rows.forEach(({ table }, i) => {
    const { bounds, firstPart } = shared[i]
    const words = new Uint32Array(memory.buffer, layout.modes[mode].sharedRows + table, tableWords(shared[i]))
    words[0] = bounds.length - 1
    bounds.forEach((bound, p) => {
      words[1 + 2 * p] = bound
      if (p + 1 === bounds.length) return
      const half = p > 0 ? 0 : 1
      words[2 + 2 * p] =
        layout.exchange + (2 * (firstPart + p) + half) * layout.handedOver * partialBytes(layout.padded)
    })
  })
}

/** Tells the kernels where a part's share of a view lies. */
function describe(
  { memory, layout }: LoadedParts['parts'][number],
  view: View,
  share: Share,
  v: number,
  order: number,
): void {
  const place = layout.views[v]
  const mode = view.source.mode
  const words = new Uint32Array(memory.buffer)
  new Uint32Array(memory.buffer, place.rowLengths, view.lengths.length).set(view.lengths)
  writeChunks(
    view.chunks,
    share,
    view.first,
    new Uint32Array(memory.buffer, place.chunks, (at.CHUNK_BYTES / 4) * place.chunkCount),
  )
  new Uint32Array(memory.buffer, place.firstSegments, view.first.length).set(view.first)
  // As long as records are placed, where a segment's begin stands in the next one's place: kernels/loading.ts.
  const recordStart = new Uint32Array(memory.buffer, place.recordStart, place.segments + 1)
  for (let s = 1; s < place.segments; s++)
    recordStart[s + 1] = recordStart[s] + view.segmentLengths[share.firstSegment + s - 1]
  const fields: [number, number][] = [
    [at.VIEW_ORDER, order],
    [at.VIEW_MODE, mode],
    [at.VIEW_FACTOR, layout.modes[mode].factor],
    [at.VIEW_COMPANION, layout.modes[mode].companion],
    [at.VIEW_ROW_LENGTHS, place.rowLengths],
    [at.VIEW_RECORD_START, place.recordStart],
    [at.VIEW_RECORDS, place.records],
    [at.VIEW_CHUNKS, place.chunks],
    [at.VIEW_CHUNK_COUNT, place.chunkCount],
    [at.VIEW_SEGMENT, view.segment],
    [at.VIEW_WINDOW, leastWindow(view.segment)],
    [at.VIEW_FIRST_ROW, share.firstRow],
    [at.VIEW_FIRST_INDEX, share.firstIndex],
    [at.VIEW_LAST_ROW, share.lastRow],
    [at.VIEW_END_INDEX, share.endIndex],
    [at.VIEW_EARLIER, share.earlier],
    [at.VIEW_PARTIALS, layout.partials],
    [at.VIEW_ARRIVALS, layout.arrivals],
    [at.VIEW_SCALE, layout.modes[mode].scale],
    [at.VIEW_MEAN, layout.modes[mode].mean],
    ...layout.modes
      .filter((_, other) => other !== mode)
      .map(({ factor }, o): [number, number] => [at.VIEW_OTHERS + 4 * o, factor]),
  ]
  for (const [field, value] of fields) words[(place.descriptor + field) / 4] = value
}

function sum(numbers: Uint32Array): number {
  let total = 0
  for (let i = 0; i < numbers.length; i++) total += numbers[i]
  return total
}

function entriesOf({ shares }: View): number {
  return shares.reduce((sum, { entries }) => sum + entries, 0)
}

function emptyRows(lengths: Uint32Array): Uint32Array {
  let count = 0
  for (let p = 0; p < lengths.length; p++) if (lengths[p] === 0) count++
  const rows = new Uint32Array(count)
  for (let p = 0, i = 0; i < count; p++) if (lengths[p] === 0) rows[i++] = p
  return rows
}

function digestOf(counted: readonly Counted[], dims: readonly number[]): string {
  const words = new Int32Array(counted[0].digest.length)
  for (const { digest } of counted)
    digest.forEach((word, i) => {
      words[i] += word
    })
  return [dims.join('x'), ...Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0'))].join(
    '-',
  )
}
