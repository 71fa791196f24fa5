/** Counts the entries of a problem by row and by segment, and divides them into chunks. */
import { uint32Array } from '../../../../base/sharedArrays.ts'
import type { Communicator } from '../../../../comm/index.ts'
import { writeControl } from '../../memory/control.ts'
import { newMemory } from '../../memory/memoryPool.ts'
import type { CountInput, CountResult, ViewSource } from '../../threads/messages.ts'
import type { ProblemWorkers } from '../../threads/workers.ts'
import type { OrderKeys } from '../place/order.ts'
import {
  type Chunks,
  makeChunks,
  type SharedRow,
  segmentSize,
  type ViewSlice,
  writeFirstSegments,
} from '../place/segments.ts'
import { refuseEntry } from '../problemEntries.ts'
import { type CounterLayout, layOutCounters } from './counterLayout.ts'

/** A view while it is being built. */
export interface View {
  /** The name of its set; 'entries' for the training entries. */
  name: string
  source: ViewSource
  /** S, the most entries of a row that is one segment. */
  segment: number
  /** (P) Entries of each row. */
  lengths: Uint32Array
  /** (P + 1) The number of each row's first segment, and of all segments. */
  first: Uint32Array
  /** (segments) Entries of each segment. */
  segmentLengths: Uint32Array
  chunks: Chunks
  /** Per partition, the chunks and segments of the view that it owns. */
  slices: readonly ViewSlice[]
  /** The rows with segments in several partitions. */
  shared: readonly SharedRow[]
  /** Whether each thread has its own counters of records. */
  ownCounters: boolean
}

/** The source of a view, with the name of its set for messages. */
export interface NamedSource {
  name: string
  source: ViewSource
}

/**
 * Counts the entries of all views by row, and by segment where a row has several, and checks them; over all
 * threads and processes. Throws an InputError for the first invalid entry. The slices of the views are empty.
 * @param entries number of entries of each set, by name
 * @param padded the padded rank
 * @returns the views; Σ x² and digest of all entries; and the threads' counters, for placing records
 */
export async function countViews(
  { pool, members, communicator, group }: ProblemWorkers,
  module: WebAssembly.Module,
  sources: readonly NamedSource[],
  entries: ReadonlyMap<string, number>,
  keys: OrderKeys,
  padded: number,
): Promise<{
  views: View[]
  counted: CountResult
  counting: { memory: WebAssembly.Memory; layout: CounterLayout }
}> {
  const { dims } = sources[0].source.tensor
  const layout = layOutCounters(
    sources.map(({ name, source }) => {
      const rows = dims[source.mode]
      const count = entries.get(name) ?? entries.get('train')!
      return {
        rows,
        segments: rows + Math.ceil((2 * count) / segmentSize(count, padded)) + 1,
        entries: count,
        weighted: source.meanWeight !== undefined,
      }
    }),
    dims.length,
    group.threads,
  )
  // This memory does not come from the pool: it is garbage as soon as the entries are placed.
  const pages = Math.ceil(layout.byteLength / 65536)
  const memory = await communicator.failTogether(() => newMemory(pages))
  await group.share(memory)
  if (group.isLeader) writeControl(memory, layout.control, group)
  await group.barrier()
  const input: CountInput = { views: sources.map(({ source }) => source), keys, layout }
  const results = (await pool.ask(members, (thread) => ({
    type: 'count',
    module,
    memory,
    input,
    ...group.positionsOf(thread),
  }))) as CountResult[]
  await communicator.failTogether(() => refuseFaults(results, sources))
  const counted = await addResults(results, communicator)
  const lengthsOf = layout.views.map(({ lengths, rows }) => new Uint32Array(memory.buffer, lengths, rows))
  if (group.size > 1) await communicator.allReduce(...lengthsOf)

  const cut = sources.map(({ name, source }, v) => {
    const { rows, ...at } = layout.views[v]
    const lengths = lengthsOf[v]
    // A probe is divided by its own size, not by that of the training entries.
    const segment = segmentSize(sum(lengths), padded)
    const first = writeFirstSegments(lengths, segment, new Uint32Array(memory.buffer, at.first, rows + 1))
    const segmentLengths = new Uint32Array(memory.buffer, at.segmentLengths, first[rows])
    return { name, source, lengths, segment, first, segmentLengths }
  })
  const long = cut.flatMap(({ lengths, first }, v) => (first[lengths.length] > lengths.length ? [v] : []))
  if (long.length > 0)
    await pool.ask(members, (thread) => ({
      type: 'countSegments',
      module,
      memory,
      input,
      long,
      ...group.positionsOf(thread),
    }))
  await group.barrier()
  if (group.size > 1) await communicator.allReduce(...long.map((v) => cut[v].segmentLengths))
  const views = cut.map((view, v) => {
    const { lengths, segmentLengths } = view
    if (!long.includes(v)) segmentLengths.set(lengths)
    // With several thread groups, threads place entries that they have not counted.
    const ownCounters = group.size === 1 && layout.views[v].ownRows.length > 0
    return { ...view, chunks: makeChunks(lengths, view.segment), slices: [], shared: [], ownCounters }
  })
  return { views, counted, counting: { memory, layout } }
}

/** Sums Σ x² and the digests over all threads of all processes. */
async function addResults(results: readonly CountResult[], communicator: Communicator): Promise<CountResult> {
  const digest = uint32Array(results[0].digest.length)
  for (const { digest: own } of results)
    own.forEach((word, i) => {
      digest[i] += word
    })
  await communicator.allReduce(digest)
  const squares = results.reduce((sum, one) => sum + one.squares, 0)
  const all = await communicator.allGatherNumbers(squares)
  return { squares: all.reduce((sum, [one]) => sum + one, 0), digest: [...digest] }
}

/** Throws an InputError for the first invalid entry that a thread of this process has results, if any. */
function refuseFaults(
  results: readonly CountResult[],
  sources: readonly { name: string; source: ViewSource }[],
): void {
  const faults = results.flatMap(({ fault }) => fault ?? [])
  if (faults.length === 0) return
  const { view, entry, mode } = faults.reduce((a, b) =>
    b.view < a.view || (b.view === a.view && b.entry < a.entry) ? b : a,
  )
  const { name, source } = sources[view]
  refuseEntry(name, source.tensor, entry, mode)
}

/** The sum of some counts. */
function sum(numbers: Uint32Array): number {
  let total = 0
  for (let i = 0; i < numbers.length; i++) total += numbers[i]
  return total
}
