/**
 * The FROSTT text format: on each line N indices, counted from 1, and a value, separated by blanks. Lines
 * that are blank or begin with # or % are passed over, but for Lacuna's own (tns/header.ts): they keep what
 * the format has no place for.
 */
import { InputError, inFile } from '../../base/inputError.ts'
import {
  checkPolicies,
  checkShape,
  fitToDims,
  largestPlusOne,
  MAX_ORDER,
  refuseRepetitionLater,
  type SparseTensor,
  sparseTensor,
  sparseTensorToSort,
  type TensorOptions,
} from '../../tensor/index.ts'
import { compileTextKernel } from '../text/index.ts'
import type { Columns, ParserOptions } from './columns.ts'
import { count, type Layout } from './fault.ts'
import { checkHeader } from './header.ts'
import { TnsParser } from './parser.ts'

/** From so many bytes on, compiling the kernel pays. */
const KERNEL_FROM = 2 ** 19

export { checkHeader } from './header.ts'
export { type WriteTnsOptions, writeTns } from './write.ts'

/** How a .tns text is read. */
export interface ReadTnsOptions extends Omit<TensorOptions, 'where'> {
  /** The file, as messages name it. */
  name: string
  /** I_1 … I_N; by default the largest index found in each mode. */
  dims?: readonly number[]
  /** Told the number of bytes parsed so far, after every piece. */
  onProgress?(bytes: number): void
  /** About how many bytes will come; saves growing the columns. */
  sizeHint?: number
  /** Coordinates that repeat are an error, and left to the engine that sorts the entries: for who starts a run with them as they are. */
  deferDuplicateCheck?: boolean
}

/** Reads a tensor from the pieces of a .tns text. */
export async function readTns(
  source: AsyncIterable<Uint8Array>,
  options: ReadTnsOptions,
): Promise<SparseTensor> {
  return tensorOfColumns(await readEntries(source, options), options)
}

/** The same, but nothing is checked of the entries yet. */
export async function readEntries(
  source: AsyncIterable<Uint8Array>,
  options: ReadTnsOptions,
): Promise<Columns> {
  return readColumns(source, {
    ...options,
    layout: (columns, where) => entryLayout(columns, where, options.dims),
  })
}

/** What is known of entries before they are checked. */
export interface KnownOfColumns {
  /** Coordinates do not repeat. */
  distinct?: boolean
  /** No value is negative. */
  nonnegative?: boolean
  /** Of each mode, the largest index. */
  largest?: readonly number[]
}

/** The tensor of what has been read. What is known to be good is not looked at again. */
export function tensorOfColumns(
  { indices, values, where, header }: Columns,
  { name, negative, duplicates, dims, deferDuplicateCheck }: ReadTnsOptions,
  { distinct, nonnegative, largest }: KnownOfColumns = {},
): SparseTensor {
  if (values.length === 0) throw noEntries(name)
  const sizes = largest ? largest.map((index) => index + 1) : indices.map(largestPlusOne)
  const frame = inFile(name, () => {
    const said = checkHeader(header, indices.length)
    return fitToDims({ ...said, dims: said.dims ?? dims ?? sizes }, dims)
  })
  const tensor = { ...frame, indices, values }
  const policies = { ...(negative && { negative }), ...(duplicates && { duplicates }) }
  const isPutOff = !distinct && leavesRepetition({ deferDuplicateCheck, duplicates })
  if ((distinct || isPutOff) && nonnegative && frame.dims.every((dim, mode) => sizes[mode] <= dim)) {
    checkPolicies(policies)
    checkShape(tensor)
    const { dims, labels, modes, valueName } = frame
    const names = { ...(labels && { labels }), ...(modes && { modes }), ...(valueName && { valueName }) }
    const checked = { dims, indices, values, ...names }
    if (isPutOff) refuseRepetitionLater(checked, where)
    return checked
  }
  if (isPutOff) return sparseTensorToSort(tensor, { where, ...(negative && { negative }) })
  return sparseTensor(tensor, { where, ...policies, ...(distinct && { distinct }) })
}

/** Whether it is left to an engine to see whether coordinates repeat. */
export const leavesRepetition = ({
  deferDuplicateCheck = false,
  duplicates = 'error',
}: Pick<ReadTnsOptions, 'deferDuplicateCheck' | 'duplicates'>): boolean =>
  deferDuplicateCheck && duplicates === 'error'

/** What the head of a file says, up to the end of the line of its first entry: comments, and that entry. */
export function firstEntry(head: Uint8Array, name: string, dims: readonly number[] | undefined): Columns {
  if (head.length === 0) throw new InputError('empty', `${name}: the file is empty.`)
  const layout = (columns: number, where: string) => entryLayout(columns, where, dims)
  const parser = new TnsParser({ name, layout, ...(dims && { dims }) })
  parser.push(head)
  const columns = parser.finish()
  if (columns.values.length === 0) throw noEntries(name)
  return columns
}

/** What the lines of a tensor hold, by the columns of the first entry. */
function entryLayout(columns: number, where: string, dims: readonly number[] | undefined): Layout {
  if (columns < 3)
    throw new InputError(
      'format',
      `${where}: ${count(columns)}; give at least two indices and a value, separated by blanks.`,
    )
  if (columns - 1 > MAX_ORDER)
    throw new InputError('format', `${where}: ${count(columns)}; a tensor has at most ${MAX_ORDER} modes.`)
  checkOrder(columns - 1, dims, where)
  return { order: columns - 1, hasValues: true }
}

const noEntries = (name: string): InputError =>
  new InputError('empty', `${name}: there are no entries; give lines of indices and a value, like 1 1 2.5.`)

export interface ReadCoordinatesOptions {
  name: string
  /** N */
  order: number
  /** Indices must lie within these. */
  dims: readonly number[]
  onProgress?(bytes: number): void
  sizeHint?: number
}

export interface Coordinates {
  /** One column of 0-based indices per mode; coordinates may repeat. */
  indices: Uint32Array[]
  /** Present if the file has a value on every line. */
  values?: Float32Array
}

/** Reads the coordinates to predict at: lines of N indices, on all lines with a value or on all without. */
export async function readCoordinates(
  source: AsyncIterable<Uint8Array>,
  options: ReadCoordinatesOptions,
): Promise<Coordinates> {
  const { name, order } = options
  const { indices, values } = await readColumns(source, {
    ...options,
    layout(columns, where) {
      if (columns !== order && columns !== order + 1)
        throw new InputError(
          'format',
          `${where}: ${count(columns)}; give ${order} indices, or ${order} indices and a value, separated by blanks.`,
        )
      return { order, hasValues: columns > order }
    },
  })
  if (indices.length === 0)
    throw new InputError('empty', `${name}: there are no coordinates; give lines of ${order} indices.`)
  return values.length > 0 ? { indices, values } : { indices }
}

async function readColumns(
  source: AsyncIterable<Uint8Array>,
  options: ParserOptions & { onProgress?(bytes: number): void },
): Promise<Columns> {
  const parser = new TnsParser(options)
  let bytes = 0
  for await (const piece of source) {
    if (bytes < KERNEL_FROM && bytes + piece.length >= KERNEL_FROM) await useKernel(parser)
    parser.push(piece)
    bytes += piece.length
    options.onProgress?.(bytes)
  }
  if (bytes === 0) throw new InputError('empty', `${options.name}: the file is empty.`)
  return parser.finish()
}

/** Where a page's policy forbids wasm, or the engine is too old for its kinds of instructions, lines are parsed here. */
async function useKernel(parser: TnsParser): Promise<void> {
  const module = await compileTextKernel().catch(() => undefined)
  if (module) parser.useKernel(module)
}

function checkOrder(order: number, dims: readonly number[] | undefined, where: string): void {
  if (dims && dims.length !== order)
    throw new InputError(
      'format',
      `${where}: ${order} indices and a value, but ${dims.length} dims were given; give one size per mode.`,
    )
}

export type { Columns } from './columns.ts'
export { TnsParser } from './parser.ts'
