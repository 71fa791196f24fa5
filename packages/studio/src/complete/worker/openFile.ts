/** Opens files in the worker: finds out what they contain, and reads tables and tensors. */
import { type CpModel, cpuEngine, InputError, type SparseTensor } from 'lacuna'
import { type CpEnsemble, decodeAnyModel } from 'lacuna/folds'
import { decodeNpz, decodeTensorNpy, decodeTensorNpz, readTns } from 'lacuna/formats'
import {
  countsRemark,
  isTableKind,
  kindByName,
  packingByName,
  sizeOfRun,
  unpackedEnding,
} from 'lacuna/internal'
import { guessTable, jsonTable, readRows, type Table, textTable } from 'lacuna/tables'
import { describeError } from '../../run/remote.ts'
import type { Opened, ReadSettings, TableChoice } from '../protocol.ts'
import { parquetTable } from './parquet.ts'
import { summarizeModel } from './summary.ts'

/** The most memory that a problem may take in a tab, in bytes. */
const MOST_BYTES = 2 ** 31

/**
 * Finds out what a file contains, by its name and, for .npz, by its content; guesses the columns of a table
 * and decodes a model. Throws if the studio cannot open it.
 */
export async function inspectFile(file: File): Promise<{ opened: Opened; model?: CpModel | CpEnsemble }> {
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
    const choice: TableChoice = { modes, value, merge }
    return { opened: { kind: 'table', name, columns, choice, problem: problem && describeError(problem) } }
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

/**
 * Opens a table of any format; its rows are those that the command line reads.
 * @param onRead called with the bytes read so far
 */
async function openTable(
  file: File,
  { decimal, melt }: Pick<TableChoice, 'decimal' | 'melt'> = {},
  onRead: (bytes: number) => void = () => {},
): Promise<Table> {
  const { name } = file
  const kind = kindByName(name)
  if (kind === 'parquet') return parquetTable(file)
  const source = { name, open: () => readBytes(file, onRead) }
  if (kind === 'json') return jsonTable([source])
  return textTable([source], {
    ...(unpackedEnding(name) === 'tsv' && { delimiter: '\t' }),
    decimal,
    ...(melt !== undefined && { header: true }),
  })
}

/** Whether an .npz file is a model that Lacuna saved, by its metadata. */
function isModel(bytes: Uint8Array, name: string): boolean {
  const { 'metadata.json': metadata } = decodeNpz(bytes, name)
  return metadata instanceof Uint8Array && new TextDecoder().decode(metadata).includes('"lacuna-model"')
}

/**
 * Reads a table or tensor.
 * @param onProgress called with the fraction of the file that was read
 * @returns the tensor, and sentences about what was guessed or left out
 */
export async function readFile(
  file: File,
  { choice, negative, merge }: ReadSettings,
  onProgress: (fraction: number) => void,
): Promise<{ tensor: SparseTensor; remarks: string[] }> {
  const { name } = file
  checkFileSize(file)
  const progress = throttle((bytes) => onProgress(Math.min(1, bytes / file.size)))
  const remarks: string[] = []
  const withRemarks = (tensor: SparseTensor) => {
    const counts = countsRemark(tensor)
    return {
      tensor,
      remarks: counts ? [...remarks, describeError(new InputError('option', counts))] : remarks,
    }
  }
  if (choice) {
    if (choice.modes.length + (choice.melt === undefined ? 0 : 1) < 2)
      throw new InputError(
        'option',
        `${name}: choose at least two columns as modes, and what was observed as the value.`,
      )
    const table = await openTable(file, choice, progress)
    /** Throws if this number of rows would make a tensor that is too large for a tab. */
    const checkRows = (rows: number): void =>
      checkTensorSize(
        name,
        choice.modes.map(() => 1),
        rows,
        1,
      )
    return withRemarks(
      await readRows(table, {
        ...choice,
        negative,
        onRemark: ({ text }) => remarks.push(text),
        onRows: checkRows,
      }),
    )
  }
  const duplicates = merge === 'count' ? 'sum' : merge
  const kind = kindByName(name)
  if (kind === 'tns')
    return withRemarks(await readTns(readBytes(file, progress), { name, negative, duplicates }))
  const bytes = new Uint8Array(await file.arrayBuffer())
  const decode = kind === 'npy' ? decodeTensorNpy : decodeTensorNpz
  return withRemarks(decode(bytes, name, { negative, duplicates }))
}

/** Streams the bytes of a file, decompressed if its name ends with .gz. */
async function* readBytes(file: File, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
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

/** Returns a function that passes at most one call in 100 ms on to `report`, and drops the others. */
function throttle(report: (bytes: number) => void): (bytes: number) => void {
  let lastCall = -Infinity
  return (bytes) => {
    if (performance.now() - lastCall < 100) return
    lastCall = performance.now()
    report(bytes)
  }
}

/** Throws if a file is too large for a tab; a packed file is assumed to unpack to four times its size. */
function checkFileSize({ name, size }: File): void {
  const unpacked = packingByName(name) ? 4 * size : size
  if (unpacked > MOST_BYTES) throw tooLarge(name, unpacked)
}

/** Throws if a problem of this size and rank would take more memory than a tab has. */
export function checkTensorSize(name: string, dims: readonly number[], entries: number, rank: number): void {
  try {
    const { byteLength } = cpuEngine().plan(sizeOfRun({ dims, entries }, { rank }))
    if (byteLength > MOST_BYTES) throw tooLarge(name, byteLength, rank)
  } catch (error) {
    throw error instanceof InputError && !error.message.startsWith(name) ? error.within(name) : error
  }
}

/** Returns the error of a file that is too large, with the command that completes it. */
function tooLarge(name: string, bytes: number, rank = 10): InputError {
  const gigabytes = (bytes / 2 ** 30).toPrecision(2)
  return new InputError(
    'memory',
    `${name} is too large for a browser tab: it would take ${Number(gigabytes)} GiB. Complete it on the command line:\nlacuna complete ${name} --rank ${rank} -o model.npz`,
  )
}
