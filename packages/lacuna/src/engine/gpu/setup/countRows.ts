/** The first pass over the entries of a problem: copies them to the device, checks them, and counts them by row. */
import { refuseEntry } from '../../cpu/index.ts'
import { COUNTER_WORDS } from '../wgsl/setup.ts'
import type { EntrySource } from './prepareEntries.ts'
import type { Chunk, SetUpWork } from './setUpWork.ts'

/** Most bytes of a chunk of entries: one dispatch passes over it. */
const CHUNK_BYTES = 2 ** 26
/** The number of the first invalid entry if all are valid. */
const NO_ENTRY = 0xffffffff

/** A set of entries on the device. */
export interface LoadedSource extends EntrySource {
  chunks: Chunk[]
  /** Entries by row of each view, then COUNTER_WORDS words. */
  counters: GPUBuffer
  /** The number of counters of rows. */
  rows: number
}

/** A view that is to be built: its set, its mode, and the counters of its rows. */
export interface PlannedView {
  /** The name of the set whose errors are measured on it; undefined for the training entries by other modes. */
  name: string | undefined
  source: LoadedSource
  mode: number
  /** The limit of the probe, as in SourceWords; 0 for all other views. */
  probeLimit: number
  /** Position of its first row's length in the source's counters. */
  firstCounter: number
}

/**
 * Copies a set of entries to the device, and enqueues the count of its entries by row. Returns its views: of
 * the training entries by every mode and of the probe, if there is one; of another set by the first mode.
 */
export async function countRows(work: SetUpWork, set: EntrySource): Promise<PlannedView[]> {
  const { name, tensor, scaledWeights } = set
  const { dims, indices, values, weights } = tensor
  const isTrain = name === 'train'
  const probeLimit = isTrain ? work.entries.probeLimit : 0
  const modes = isTrain ? dims : dims.slice(0, 1)
  const firstCounters = modes.map((_, mode) => dims.slice(0, mode).reduce((sum, dim) => sum + dim, 0))
  const probeCounter = modes.reduce((sum, dim) => sum + dim, 0)
  const rows = probeCounter + (probeLimit > 0 ? dims[0] : 0)
  const columns = [...indices, values, ...(weights ? [scaledWeights!, weights] : [])]
  const most = Math.floor(Math.min(CHUNK_BYTES, work.device.maxBindingBytes) / (4 * columns.length))
  const counts = Array.from({ length: Math.ceil(values.length / most) }, (_, chunk) =>
    Math.min(most, values.length - chunk * most),
  )
  const [counters, modeTable, ...buffers] = await work.create(
    4 * (rows + COUNTER_WORDS),
    8 * dims.length,
    ...counts.map((count) => 4 * columns.length * count),
  )
  await work.device.uploader.write(counters, 4 * rows, Uint32Array.from([0, 0, NO_ENTRY, 0]))
  await work.write(modeTable, Uint32Array.from(dims.flatMap((dim, mode) => [dim, firstCounters[mode] ?? 0])))
  const words = { mode: modes.length, totals: rows, firstCounter: probeCounter, probeLimit }
  const source: LoadedSource = { ...set, chunks: [], counters, rows }
  for (const [chunk, count] of counts.entries()) {
    const buffer = buffers[chunk]
    const first = chunk * most
    for (const [at, column] of columns.entries())
      await work.device.uploader.write(buffer, 4 * at * count, column.subarray(first, first + count))
    source.chunks.push({ buffer, first, count })
    const own = source.chunks.slice(-1)
    await work.addForEntries(work.kernels.countRows, source, own, [modeTable, counters], words)
  }
  const views: PlannedView[] = firstCounters.map((firstCounter, mode) => {
    return { name: mode === 0 ? name : undefined, source, mode, probeLimit: 0, firstCounter }
  })
  if (probeLimit > 0) views.push({ name: 'probe', source, mode: 0, probeLimit, firstCounter: probeCounter })
  return views
}

/**
 * Reads the entries of each row of each view, and the words of the sets' digests. Throws an InputError for
 * the first invalid entry.
 */
export async function readRowLengths(
  work: SetUpWork,
  views: readonly PlannedView[],
): Promise<{ lengths: Uint32Array[]; digest: number[] }> {
  const { dims } = work.entries
  const sources = [...new Set(views.map(({ source }) => source))]
  work.queue.flush()
  const read = await work.device.read(
    sources.map(({ counters, rows }) => ({ buffer: counters, byteLength: 4 * (rows + COUNTER_WORDS) })),
  )
  const words = new Map(sources.map((source, i) => [source, new Uint32Array(read[i].buffer)]))
  const digest = sources.flatMap(({ name, tensor, rows }, i) => {
    const [low, high, fault] = new Uint32Array(read[i].buffer).subarray(rows)
    if (fault === NO_ENTRY) return [low, high]
    const mode = tensor.indices.findIndex((column, m) => column[fault] >= dims[m])
    return refuseEntry(name === 'train' ? 'entries' : name, tensor, fault, mode < 0 ? undefined : mode)
  })
  const lengths = views.map(({ source, mode, firstCounter }) =>
    words.get(source)!.subarray(firstCounter, firstCounter + dims[mode]),
  )
  return { lengths, digest }
}
