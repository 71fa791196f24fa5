/** Reading .tns text on one thread: from pieces of bytes to columns, and from columns to a tensor. */
import { InputError, inFile } from '../../base/inputError.ts'
import {
  checkPolicies,
  checkShape,
  deferDuplicateCheck,
  fitToDims,
  largestPlusOne,
  MAX_ORDER,
  refuseDuplicates,
  type SparseTensor,
  sparseTensor,
  type TensorOptions,
} from '../../tensor/index.ts'
import { compileTextKernel } from '../text/index.ts'
import type { Columns, ParserOptions } from './columns.ts'
import { columnCountText, type Layout } from './fault.ts'
import { checkHeader, type TnsHeader } from './header.ts'
import { TnsParser } from './parser.ts'

/** The number of bytes from which on compiling the kernel takes less time than it saves. */
const KERNEL_FROM = 2 ** 19

/** Options for reading a .tns text. */
export interface ReadTnsOptions extends Omit<TensorOptions, 'where'> {
  /** The file, as messages name it. */
  name: string
  /** I_1 … I_N; by default the largest index found in each mode. */
  dims?: readonly number[]
  /** Called after every piece with the number of bytes parsed so far; none by default. */
  onProgress?(bytes: number): void
  /** The approximate number of bytes; with it the columns need not be enlarged; unknown by default. */
  sizeHint?: number
  /**
   * Leaves the search for repeated coordinates, which are an error, to the engine that sorts the entries;
   * false by default.
   */
  deferDuplicateCheck?: boolean
}

/** Reads a tensor from the pieces of a .tns text. Throws an InputError if it is not valid. */
export async function readTns(
  source: AsyncIterable<Uint8Array>,
  options: ReadTnsOptions,
): Promise<SparseTensor> {
  return tensorOfColumns(await readEntries(source, options), options)
}

/** Reads the entries of a .tns text as columns. Values, duplicates and the header are not checked yet. */
export async function readEntries(
  source: AsyncIterable<Uint8Array>,
  options: ReadTnsOptions,
): Promise<Columns> {
  return readColumns(source, {
    ...options,
    layout: (columns, where) => entryLayout(columns, where, options.dims),
  })
}

/** Facts about columns that are known and need no check. */
export interface ColumnFacts {
  /** Coordinates do not repeat. */
  distinct?: boolean
  /** No value is negative. */
  nonnegative?: boolean
  /** The largest index of each mode. */
  largest?: readonly number[]
}

/** Checks the columns of a file by the options and makes them a tensor; throws if there are no entries. */
export function tensorOfColumns(
  { indices, values, where, header }: Columns,
  { name, negative, duplicates, dims, deferDuplicateCheck }: ReadTnsOptions,
  { distinct, nonnegative, largest }: ColumnFacts = {},
): SparseTensor {
  if (values.length === 0) throw noEntries(name)
  const sizes = largest ? largest.map((index) => index + 1) : indices.map(largestPlusOne)
  const frame = sizesAndNames(name, header, sizes, dims)
  const tensor = { ...frame, indices, values }
  const isDeferred = !distinct && defersDuplicates({ deferDuplicateCheck, duplicates })
  if ((distinct || isDeferred) && nonnegative && frame.dims.every((dim, mode) => sizes[mode] <= dim)) {
    checkPolicies({ negative, duplicates })
    checkShape(tensor)
    const { dims, labels, modes, valueName } = frame
    const names = { ...(labels && { labels }), ...(modes && { modes }), ...(valueName && { valueName }) }
    const checked = { dims, indices, values, ...names }
    return isDeferred ? withDeferredCheck(checked, where) : checked
  }
  if (isDeferred) return withDeferredCheck(sparseTensor(tensor, { where, negative, distinct: true }), where)
  return sparseTensor(tensor, { where, negative, duplicates, distinct })
}

/**
 * The sizes and names of a tensor: those of the file's header, fitted to the sizes that were asked for.
 * @param sizes per mode, the largest index of all entries, counted from 1
 * @param dims the sizes that were asked for
 */
export function sizesAndNames(
  name: string,
  header: TnsHeader,
  sizes: readonly number[],
  dims: readonly number[] | undefined,
): Pick<SparseTensor, 'dims' | 'modes' | 'labels' | 'valueName'> {
  return inFile(name, () => {
    const checked = checkHeader(header, sizes.length)
    return fitToDims({ ...checked, dims: checked.dims ?? dims ?? sizes }, dims)
  })
}

/** Returns the tensor marked so that the engine searches it for duplicates. @param where names an entry */
const withDeferredCheck = (tensor: SparseTensor, where: (entry: number) => string): SparseTensor =>
  deferDuplicateCheck(tensor, () => refuseDuplicates(tensor, where))

/** Whether the search for repeated coordinates is left to the engine: only where they are an error. */
export const defersDuplicates = ({
  deferDuplicateCheck = false,
  duplicates = 'error',
}: Pick<ReadTnsOptions, 'deferDuplicateCheck' | 'duplicates'>): boolean =>
  deferDuplicateCheck && duplicates === 'error'

/**
 * Parses the head of a file: its comments and its first entry, which is the only one of the columns returned.
 * Throws if there is none.
 * @param head the file up to the end of the first line that is an entry
 */
export function parseFirstEntry(
  head: Uint8Array,
  name: string,
  dims: readonly number[] | undefined,
): Columns {
  if (head.length === 0) throw new InputError('empty', `${name}: the file is empty.`)
  const layout = (columns: number, where: string) => entryLayout(columns, where, dims)
  const parser = new TnsParser({ name, layout, dims })
  parser.push(head)
  const columns = parser.finish()
  if (columns.values.length === 0) throw noEntries(name)
  return columns
}

/**
 * The layout of a tensor's lines, by the number of columns of the first entry: the last is the value. Throws
 * if these are too few, too many or not those of `dims`.
 * @param where file and line of that entry
 */
function entryLayout(columns: number, where: string, dims: readonly number[] | undefined): Layout {
  if (columns < 3)
    throw new InputError(
      'format',
      `${where}: ${columnCountText(columns)}; give at least two indices and a value, separated by blanks.`,
    )
  const order = columns - 1
  if (order > MAX_ORDER)
    throw new InputError(
      'format',
      `${where}: ${columnCountText(columns)}; a tensor has at most ${MAX_ORDER} modes.`,
    )
  if (dims && dims.length !== order)
    throw new InputError(
      'format',
      `${where}: ${order} indices and a value, but ${dims.length} dims were given; give one size per mode.`,
    )
  return { order, hasValues: true }
}

/** The error for a file without entries. */
const noEntries = (name: string): InputError =>
  new InputError('empty', `${name}: there are no entries; give lines of indices and a value, like 1 1 2.5.`)

/** Options of readCoordinates. */
export interface ReadCoordinatesOptions {
  /** The file, as messages name it. */
  name: string
  /** The number of modes, N. */
  order: number
  /** Indices must lie within these sizes. */
  dims: readonly number[]
  /** Called after every piece with the number of bytes parsed so far; none by default. */
  onProgress?(bytes: number): void
  /** The approximate number of bytes; with it the columns need not be enlarged; unknown by default. */
  sizeHint?: number
}

/** The coordinates of cells to predict. */
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
          `${where}: ${columnCountText(columns)}; give ${order} indices, or ${order} indices and a value, separated by blanks.`,
        )
      return { order, hasValues: columns > order }
    },
  })
  if (indices.length === 0)
    throw new InputError('empty', `${name}: there are no coordinates; give lines of ${order} indices.`)
  return values.length > 0 ? { indices, values } : { indices }
}

/** Options for reading lines: those of TnsParser, and progress. */
type ReadLinesOptions = ParserOptions & { onProgress?(bytes: number): void }

/** Parses a whole file; throws if it is empty. */
async function readColumns(source: AsyncIterable<Uint8Array>, options: ReadLinesOptions): Promise<Columns> {
  let isEmpty = true
  const columns = await readLines(source, {
    ...options,
    onProgress(bytes) {
      if (bytes > 0) isEmpty = false
      options.onProgress?.(bytes)
    },
  })
  if (isEmpty) throw new InputError('empty', `${options.name}: the file is empty.`)
  return columns
}

/** Parses lines that come in pieces of bytes: a whole file, or a range of its lines, which may be empty. */
export async function readLines(
  source: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions,
): Promise<Columns> {
  const parser = new TnsParser(options)
  let bytes = 0
  for await (const piece of source) {
    if (bytes < KERNEL_FROM && bytes + piece.length >= KERNEL_FROM) await tryKernel(parser)
    parser.push(piece)
    bytes += piece.length
    options.onProgress?.(bytes)
  }
  return parser.finish()
}

/**
 * Makes the parser use the kernel, unless a page's policy forbids wasm or the browser lacks its instructions.
 */
async function tryKernel(parser: TnsParser): Promise<void> {
  const module = await compileTextKernel().catch(() => undefined)
  if (module) parser.useKernel(module)
}
