/** Files into tensors and models, in the worker. */
import {
  type CpModel,
  cpuEngine,
  decodeModel,
  decodeNpz,
  decodeTensorNpy,
  decodeTensorNpz,
  InputError,
  type NegativePolicy,
  readCsv,
  readTns,
  type SparseTensor,
  sizeOfRun,
  sniffCsv,
} from 'lacuna'
import { guessChoice } from './guess.ts'
import type { Opened, TableChoice } from './protocol.ts'
import { summarizeModel } from './summary.ts'

/** What a tab can be expected to give, with what the page itself needs beside it. */
const MOST_BYTES = 2 ** 31
const SNIFFED_BYTES = 2 ** 18

export interface Reading {
  /** For a table. */
  choice?: TableChoice
  negative: NegativePolicy
  /** For what is no table; a table's choice has its own. */
  merge: TableChoice['merge']
}

export type FileKind = Opened['kind']

const isTable = (name: string): boolean => /\.(csv|tsv|txt|dat|data)(\.gz)?$/i.test(name)
const isTns = (name: string): boolean => /\.tns(\.gz)?$/i.test(name)

/** What a file is, by its name and its first bytes. */
export async function inspect(file: File): Promise<{ opened: Opened; model?: CpModel }> {
  const { name } = file
  if (file.size === 0) throw new InputError('empty', `${name}: the file is empty.`)
  if (isTable(name)) {
    const { columns } = sniffCsv(await beginning(file), name)
    return { opened: { kind: 'table', name, columns, choice: guessChoice(columns) } }
  }
  if (/\.npz$/i.test(name)) {
    checkFileSize(file)
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isModel(bytes, name)) {
      const model = decodeModel(bytes, name)
      return { opened: { kind: 'model', name, model: summarizeModel(model) }, model }
    }
  } else if (!isTns(name) && !/\.npy$/i.test(name))
    throw new InputError(
      'option',
      `${name}: the studio opens .tns, .csv, .tsv, .npy and .npz files, and models that Lacuna saved.`,
    )
  return { opened: { kind: 'tensor', name } }
}

function isModel(bytes: Uint8Array, name: string): boolean {
  const { 'metadata.json': metadata } = decodeNpz(bytes, name)
  return metadata instanceof Uint8Array && new TextDecoder().decode(metadata).includes('"lacuna-model"')
}

export async function read(
  file: File,
  { choice, negative, merge }: Reading,
  onProgress: (share: number) => void,
): Promise<SparseTensor> {
  const { name } = file
  checkFileSize(file)
  const progress = throttled((bytes) => onProgress(Math.min(1, bytes / file.size)))
  if (choice) {
    if (choice.modes.length < 2)
      throw new InputError(
        'option',
        `${name}: choose at least two columns as modes, and what was observed as the value.`,
      )
    return readCsv(content(file, progress), {
      name,
      ...choice,
      negative,
      onEntries: (entries) =>
        checkTensorSize(
          name,
          choice.modes.map(() => 1),
          entries,
          1,
        ),
    })
  }
  const duplicates = merge === 'count' ? 'sum' : merge
  if (isTns(name)) return readTns(content(file, progress), { name, negative, duplicates })
  const bytes = new Uint8Array(await file.arrayBuffer())
  return /\.npy$/i.test(name)
    ? decodeTensorNpy(bytes, name, { negative, duplicates })
    : decodeTensorNpz(bytes, name, { negative, duplicates })
}

/** The bytes of a file, unpacked if its name says that it is packed. */
async function* content(file: File, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      bytes += piece.length
      onRead(bytes)
      controller.enqueue(piece as Uint8Array<ArrayBuffer>)
    },
  })
  const stream = file.stream().pipeThrough(counted)
  const plain: ReadableStream<Uint8Array> = /\.gz$/i.test(file.name)
    ? stream.pipeThrough(new DecompressionStream('gzip'))
    : stream
  const reader = plain.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (error) {
    if (error instanceof TypeError)
      throw new InputError(
        'option',
        `${file.name}: the gzip data is damaged or cut short; fetch the file again.`,
        {
          cause: error,
        },
      )
    throw error
  } finally {
    void reader.cancel().catch(() => {})
  }
}

async function beginning(file: File): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of content(file, () => {})) {
    text += decoder.decode(piece, { stream: true })
    if (text.length >= SNIFFED_BYTES) break
  }
  return text
}

function throttled(tell: (bytes: number) => void): (bytes: number) => void {
  let told = -Infinity
  return (bytes) => {
    if (performance.now() - told < 100) return
    told = performance.now()
    tell(bytes)
  }
}

function checkFileSize({ name, size }: File): void {
  const unpacked = /\.gz$/i.test(name) ? 4 * size : size
  if (unpacked > MOST_BYTES) throw tooLarge(name, unpacked)
}

/** Refuses what a tab cannot hold, before it is taken. */
export function checkTensorSize(name: string, dims: readonly number[], entries: number, rank: number): void {
  try {
    const { byteLength } = cpuEngine().plan(sizeOfRun({ dims, entries }, { rank }))
    if (byteLength > MOST_BYTES) throw tooLarge(name, byteLength, rank)
  } catch (error) {
    throw error instanceof InputError && !error.message.startsWith(name) ? error.within(name) : error
  }
}

function tooLarge(name: string, bytes: number, rank = 10): InputError {
  const gigabytes = (bytes / 2 ** 30).toPrecision(2)
  return new InputError(
    'memory',
    `${name} is too large for a browser tab: it would take ${Number(gigabytes)} GiB. Complete it on the command line:\nlacuna complete ${name} --rank ${rank} -o model.npz`,
  )
}
