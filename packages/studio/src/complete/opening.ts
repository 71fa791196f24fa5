/** Files into tensors and models, in the worker. */
import { type CpModel, cpuEngine, InputError, type SparseTensor } from 'lacuna'
import { type CpEnsemble, decodeAnyModel } from 'lacuna/folds'
import { decodeNpz, decodeTensorNpy, decodeTensorNpz, readTns } from 'lacuna/formats'
import {
  countsRemark,
  isTableKind,
  kindByName,
  type NegativePolicy,
  packingByName,
  sizeOfRun,
  unpackedEnding,
} from 'lacuna/internal'
import { guessTable, jsonTable, readRows, type Table, textTable } from 'lacuna/tables'
import { sentence } from '../solving/remote.ts'
import { parquetTable } from './parquet.ts'
import type { Opened, TableChoice } from './protocol.ts'
import { summarizeModel } from './summary.ts'

/** What a tab can be expected to give, with what the page itself needs beside it. */
const MOST_BYTES = 2 ** 31

export interface Reading {
  /** For a table. */
  choice?: TableChoice
  negative: NegativePolicy
  /** For what is no table; a table's choice has its own. */
  merge: TableChoice['merge']
}

export type FileKind = Opened['kind']

/** What a file is, by its name and its first bytes. */
export async function inspect(file: File): Promise<{ opened: Opened; model?: CpModel | CpEnsemble }> {
  const { name } = file
  if (file.size === 0) throw new InputError('empty', `${name}: the file is empty.`)
  const kind = kindByName(name)
  if (packingByName(name) === 'zstd')
    throw new InputError(
      'option',
      `${name}: the studio does not unpack Zstandard; unpack the file first, or pack it with gzip.`,
    )
  if (isTableKind(kind)) {
    const { columns, modes, value, problem } = await guessTable(await openTable(file))
    const merge = value === undefined ? 'count' : 'error'
    const choice: TableChoice = { modes, merge, ...(value !== undefined && { value }) }
    return {
      opened: { kind: 'table', name, columns, choice, ...(problem && { problem: sentence(problem) }) },
    }
  }
  if (kind === 'npz') {
    checkFileSize(file)
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isModel(bytes, name)) {
      const model = decodeAnyModel(bytes, name)
      return { opened: { kind: 'model', name, model: summarizeModel(model) }, model }
    }
  } else if (kind === undefined)
    throw new InputError(
      'option',
      `${name}: the studio opens .tns, .csv, .tsv, .json, .parquet, .npy and .npz files, and models that Lacuna saved.`,
    )
  return { opened: { kind: 'tensor', name } }
}

/** The same rows as the command line sees, but for SQL. */
async function openTable(
  file: File,
  { decimal, melt }: Pick<TableChoice, 'decimal' | 'melt'> = {},
  onRead: (bytes: number) => void = () => {},
): Promise<Table> {
  const { name } = file
  const kind = kindByName(name)
  if (kind === 'parquet') return parquetTable(file)
  const source = { name, open: () => content(file, onRead) }
  if (kind === 'json') return jsonTable([source])
  return textTable([source], {
    ...(unpackedEnding(name) === 'tsv' && { delimiter: '\t' }),
    ...(decimal && { decimal }),
    ...(melt !== undefined && { header: true }),
  })
}

function isModel(bytes: Uint8Array, name: string): boolean {
  const { 'metadata.json': metadata } = decodeNpz(bytes, name)
  return metadata instanceof Uint8Array && new TextDecoder().decode(metadata).includes('"lacuna-model"')
}

export async function read(
  file: File,
  { choice, negative, merge }: Reading,
  onProgress: (share: number) => void,
): Promise<{ tensor: SparseTensor; remarks: string[] }> {
  const { name } = file
  checkFileSize(file)
  const progress = throttled((bytes) => onProgress(Math.min(1, bytes / file.size)))
  const remarks: string[] = []
  const told = (tensor: SparseTensor) => {
    const counts = countsRemark(tensor)
    return { tensor, remarks: counts ? [...remarks, sentence(new InputError('option', counts))] : remarks }
  }
  if (choice) {
    if (choice.modes.length + (choice.melt === undefined ? 0 : 1) < 2)
      throw new InputError(
        'option',
        `${name}: choose at least two columns as modes, and what was observed as the value.`,
      )
    const table = await openTable(file, choice, progress)
    const limit = (rows: number): void =>
      checkTensorSize(
        name,
        choice.modes.map(() => 1),
        rows,
        1,
      )
    return told(
      await readRows(table, {
        ...choice,
        negative,
        onRemark: ({ text }) => remarks.push(text),
        onRows: limit,
      }),
    )
  }
  const duplicates = merge === 'count' ? 'sum' : merge
  const kind = kindByName(name)
  if (kind === 'tns') return told(await readTns(content(file, progress), { name, negative, duplicates }))
  const bytes = new Uint8Array(await file.arrayBuffer())
  const decode = kind === 'npy' ? decodeTensorNpy : decodeTensorNpz
  return told(decode(bytes, name, { negative, duplicates }))
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
  const plain: ReadableStream<Uint8Array> = packingByName(file.name)
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

function throttled(tell: (bytes: number) => void): (bytes: number) => void {
  let told = -Infinity
  return (bytes) => {
    if (performance.now() - told < 100) return
    told = performance.now()
    tell(bytes)
  }
}

function checkFileSize({ name, size }: File): void {
  const unpacked = packingByName(name) ? 4 * size : size
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
