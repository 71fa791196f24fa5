/** Opens files in the worker: finds out what they contain, and reads tables and tensors. */
import { type CpModel, cpuEngine, InputError, type SparseTensor } from 'lacuna'
import { type CpEnsemble, decodeAnyModel } from 'lacuna/folds'
import { decodeNpz, decodeTensorNpy, decodeTensorNpz, readTns } from 'lacuna/formats'
import { isTableKind, kindByName, packingByName, sizeOfRun, type TensorModel } from 'lacuna/internal'
import type { Opened, ReadSettings } from '../protocol.ts'
import type { Question } from '../understanding/index.ts'
import { isWorkbook, openNewTable, openTable, openTableAside } from './openTable.ts'
import { readBytes, throttle } from './readBytes.ts'
import { summarizeModel } from './summary.ts'
import { readTable, understandTable } from './understand/index.ts'

/** The most memory that a problem may take in a tab, in bytes. */
const MOST_BYTES = 2 ** 31

/**
 * Finds out what a file contains, by its name and, for .npz, by its content; understands the columns of a table
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
  if (isTableKind(kind) || isWorkbook(name)) {
    checkFileSize(file)
    const { table, sheets, foreignText } = await openNewTable(file)
    const understanding = await understandTable(table, sheets)
    if (foreignText !== undefined) understanding.questions.unshift(encodingQuestion(foreignText))
    const { choice } = understanding
    const problem = isComplete(choice)
      ? undefined
      : `${name}: it is not clear which columns are the modes; choose at least two columns as modes.`
    return { opened: { kind: 'table', name, understanding, choice, problem } }
  }
  if (kind === 'npz') {
    checkFileSize(file)
    const bytes = new Uint8Array(await file.arrayBuffer())
    if (isModel(bytes, name)) {
      const model = decodeAnyModel(bytes, name)
      return { opened: { kind: 'model', name, model: summarizeModel(model) }, model }
    }
  } else if (kind === 'arrays') {
    checkFileSize(file)
    const { listArrays } = await import('./arrays.ts')
    return { opened: { kind: 'tensor', name, arrays: await listArrays(file, MOST_BYTES) } }
  } else if (kind === undefined)
    throw new InputError(
      'option',
      `${name}: the studio opens .tns, .csv, .tsv, .xlsx, .json, .parquet, .arrow, .feather, .npy, .npz, .mat, .h5 and .nc files, and models that Lacuna saved.`,
    )
  return { opened: { kind: 'tensor', name } }
}

/** The question whether text that is not UTF-8 is rightly read as Windows-1252. */
const encodingQuestion = (example: string): Question => ({
  ...{ kind: 'encoding', id: 'encoding', isNeeded: true, example },
  answers: [{ key: 'windows-1252', changes: { encoding: 'windows-1252' } }],
})

/** Whether a choice has the two modes that a tensor needs. */
const isComplete = ({ modes, melt }: { modes: readonly string[]; melt?: string }): boolean =>
  modes.length + (melt === undefined ? 0 : 1) >= 2

/** Whether an .npz file is a model that Lacuna saved, by its metadata. */
function isModel(bytes: Uint8Array, name: string): boolean {
  const { 'metadata.json': metadata } = decodeNpz(bytes, name)
  return metadata instanceof Uint8Array && new TextDecoder().decode(metadata).includes('"lacuna-model"')
}

/** The data of a file, and what was found while it was read. */
export interface FileData {
  tensor: SparseTensor
  /** Sentences about what was guessed or left out. */
  remarks: string[]
  /** Questions about a table. */
  questions: Question[]
  /** Whether the rows of a table are kept in memory, so that another choice does not read the file again. */
  isKept?: boolean
}

/**
 * Reads a table or tensor.
 * @param onProgress called with the fraction of the file that was read
 * @param like a model: rows are those of its labels, and entries of others are left out; nothing is asked
 */
export async function readFile(
  file: File,
  settings: ReadSettings,
  onProgress: (fraction: number) => void,
  like?: TensorModel,
): Promise<FileData> {
  const { negative, merge } = settings
  // The encoding is found again when the file is opened: the choice only says that the user has confirmed it.
  const choice = settings.choice && { ...settings.choice, encoding: undefined }
  const { name } = file
  checkFileSize(file)
  const progress = throttle((bytes) => onProgress(Math.min(1, bytes / file.size)))
  if (choice) {
    if (!isComplete(choice))
      throw new InputError(
        'option',
        `${name}: choose at least two columns as modes, and what was observed as the value.`,
      )
    const { table, badLines, counts, last } = await (like ? openTableAside : openTable)(file, progress)
    const onRows = (rows: number): void =>
      checkTensorSize(
        name,
        choice.modes.map(() => 1),
        rows,
        1,
      )
    const found = await readTable(table, {
      ...{ choice, negative, badLines: () => badLines, counts, last, onRows, like },
    })
    const remarks = choice.melt === undefined ? found.remarks : found.remarks.map(describeEmptyCells)
    return { ...found, remarks, isKept: table.isKept() }
  }
  const duplicates = merge === 'count' ? 'sum' : merge
  const kind = kindByName(name)
  const plain = (tensor: SparseTensor): FileData => ({ tensor, remarks: [], questions: [] })
  if (kind === 'tns')
    return plain(await readTns(readBytes(file, progress), { name, negative, duplicates, dims: like?.dims }))
  if (kind === 'arrays') {
    const { readArray } = await import('./arrays.ts')
    return { ...(await readArray(file, settings, MOST_BYTES, like)), questions: [] }
  }
  const bytes = new Uint8Array(await file.arrayBuffer())
  const decode = kind === 'npy' ? decodeTensorNpy : decodeTensorNpz
  return plain(decode(bytes, name, { negative, duplicates }))
}

/** A remark on rows that are left out, for a wide table, whose empty cells they are. */
function describeEmptyCells(remark: string): string {
  const [, count] =
    /(?:^|: )(one|\d+) rows? (?:is|are) left out, since a mode or the value is empty/.exec(remark) ?? []
  if (count === undefined) return remark
  return count === 'one'
    ? 'One cell is empty: it is what will be predicted.'
    : `${Number(count).toLocaleString('en')} cells are empty: they are what will be predicted.`
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
    `${name} is too large for a browser tab: it would take ${Number(gigabytes)} GiB; complete it on the command line with: lacuna complete ${name} --rank ${rank} -o model.npz`,
  )
}
