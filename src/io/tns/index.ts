/**
 * The FROSTT text format: on each line N indices, counted from 1, and a value, separated by blanks. Lines
 * that are blank or begin with # or % are passed over, but for Lacuna's own (tns/header.ts): they keep what
 * the format has no place for.
 */
import { InputError, inFile } from '../../inputError.ts'
import { fitToDims } from '../../tensor/fitToDims.ts'
import {
  largestPlusOne,
  MAX_ORDER,
  type SparseTensor,
  sparseTensor,
  sparseTensorToSort,
  type TensorOptions,
} from '../../tensor/sparseTensor.ts'
import { count, type Layout } from './fault.ts'
import { checkHeader } from './header.ts'
import { type Columns, type ParserOptions, TnsParser } from './parser.ts'

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
  isToBeSorted?: boolean
}

/** Reads a tensor from the pieces of a .tns text. */
export async function readTns(
  source: AsyncIterable<Uint8Array>,
  options: ReadTnsOptions,
): Promise<SparseTensor> {
  const { name, negative, duplicates } = options
  const { indices, values, where, header } = await readColumns(source, {
    ...options,
    layout: (columns, where) => entryLayout(columns, where, options.dims),
  })
  if (values.length === 0) throw noEntries(name)
  const frame = inFile(name, () => {
    const said = checkHeader(header, indices.length)
    return fitToDims(
      { ...said, dims: said.dims ?? options.dims ?? indices.map(largestPlusOne) },
      options.dims,
    )
  })
  const tensor = { ...frame, indices, values }
  if (options.isToBeSorted && (duplicates ?? 'error') === 'error')
    return sparseTensorToSort(tensor, { where, ...(negative && { negative }) })
  return sparseTensor(tensor, {
    where,
    ...(negative && { negative }),
    ...(duplicates && { duplicates }),
  })
}

/** What the lines of a tensor hold, by the columns of the first entry. */
export function entryLayout(columns: number, where: string, dims: readonly number[] | undefined): Layout {
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

export const noEntries = (name: string): InputError =>
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
    parser.push(piece)
    bytes += piece.length
    options.onProgress?.(bytes)
  }
  if (bytes === 0) throw new InputError('empty', `${options.name}: the file is empty.`)
  return parser.finish()
}

function checkOrder(order: number, dims: readonly number[] | undefined, where: string): void {
  if (dims && dims.length !== order)
    throw new InputError(
      'format',
      `${where}: ${order} indices and a value, but ${dims.length} dims were given; give one size per mode.`,
    )
}
