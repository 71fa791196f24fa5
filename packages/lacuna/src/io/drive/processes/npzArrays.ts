/**
 * The arrays of an .npz that several processes can read in ranges: coords and data, stored and not packed.
 * All that is small in the file is read and checked here. Where anything is out of the ordinary there is
 * nothing to read in ranges: then one process reads the file whole, and says what is wrong with it.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import { checkShape, fitToDims, MAX_ORDER, type SparseTensor } from '../../../tensor/index.ts'
import { checkFill, readMetadata, toSizes } from '../../array/index.ts'
import { contentStart, readAt, type ZipMember, zipMembers } from '../../node/index.ts'
import { decodeNpy, type ElementType, elementType, readNpyHeader } from '../../npz/index.ts'

export interface StoredMember extends ZipMember {
  /** Where its bytes begin in the file. */
  content: number
}

/** The elements of an array in the file. */
export interface StoredArray {
  /** Its number among the members. */
  member: number
  type: ElementType
  /** Bytes before the first element. */
  header: number
  fortran: boolean
}

export interface NpzArrays {
  file: FileHandle
  members: readonly StoredMember[]
  order: number
  entries: number
  coords: StoredArray
  values: StoredArray
  /** None, where the largest indices are to tell. */
  dims: number[] | undefined
  names: Pick<SparseTensor, 'labels' | 'modes' | 'valueName'>
  close(): Promise<void>
}

/** An .npy header has some hundred bytes. */
const HEADER_BYTES = 2 ** 16
/** Labels and sizes beside the arrays. */
const MOST_SMALL_BYTES = 2 ** 28

export async function openNpzArrays(
  path: string,
  options: { dims?: readonly number[] } = {},
): Promise<NpzArrays | undefined> {
  const file = await open(path).catch(() => undefined)
  if (!file) return undefined
  const arrays = await lookInto(file, path, options.dims).catch(() => undefined) // whoever reads it whole says why
  if (!arrays) await file.close()
  return arrays
}

async function lookInto(
  file: FileHandle,
  path: string,
  asked: readonly number[] | undefined,
): Promise<NpzArrays | undefined> {
  const status = await file.stat()
  if (!status.isFile()) return undefined
  const members = await storedMembers(file, status.size)
  if (!members) return undefined
  const find = (name: string): number => members.findIndex((member) => member.name === name)
  const [coords, values] = [find('coords.npy'), find('data.npy')]
  // Weights are dealt out by whoever reads all.
  if (coords < 0 || values < 0 || find('weights.npy') >= 0) return undefined

  const stored = async (member: number): Promise<StoredArray & { shape: number[] }> => {
    const { content, byteLength, name } = members[member]
    const head = await readAt(file, content, Math.min(HEADER_BYTES, byteLength))
    const { descr, fortran, shape, body } = readNpyHeader(head, `${path}, ${name}`)
    const type = elementType(descr)
    const header = head.length - body.length
    const elements = shape.reduce((product, dim) => product * dim, 1)
    if (!type || header + elements * type.byteLength !== byteLength) throw new RangeError(descr)
    return { member, type, header, fortran, shape }
  }
  const [index, data] = [await stored(coords), await stored(values)]
  const [order, entries] = index.shape
  const isList = data.shape.length === 1 && data.shape[0] === entries && entries > 0
  const none = index.type.decode(new Uint8Array(0))
  const isDecimal = none instanceof Float32Array || none instanceof Float64Array
  if (index.shape.length !== 2 || !isList || isDecimal || order > MAX_ORDER) return undefined
  if (find('factor_1.npy') >= 0) return undefined // a model

  const take = async (name: string): Promise<Uint8Array | undefined> => {
    const { content, byteLength, checksum } = members[find(name)] ?? {}
    if (content === undefined) return undefined
    if (byteLength > MOST_SMALL_BYTES) throw new RangeError(name)
    const bytes = await readAt(file, content, byteLength)
    if (crc32(bytes) !== checksum) throw new RangeError(name)
    return bytes
  }
  const metadata = await take('metadata.json')
  const names = readMetadata(metadata ? { 'metadata.json': metadata } : {}, path)
  const fill = await take('fill_value.npy')
  if (fill) checkFill(Number(decodeNpy(fill, path).data[0]))
  const shape = await take('shape.npy')
  const dims = shape && toSizes(decodeNpy(shape, path))
  if (dims)
    checkShape({
      ...fitToDims({ ...names, dims }, asked),
      indices: Array.from({ length: order }, () => uint32Array(0)),
      values: float32Array(0),
    })
  return {
    file,
    members,
    order,
    entries,
    coords: index,
    values: data,
    dims,
    names,
    close: () => file.close(),
  }
}

/** The members, if all are stored and lie in the file one beside the other, each under a name of its own. */
async function storedMembers(file: FileHandle, size: number): Promise<StoredMember[] | undefined> {
  if ((await readAt(file, 0, 2)).toString('latin1') !== 'PK') return undefined
  const members: StoredMember[] = []
  for (const member of (await zipMembers(file, size)) ?? []) {
    const content = await contentStart(file, member)
    if (content === undefined || member.method !== 0 || member.packedLength !== member.byteLength)
      return undefined
    if (content + member.byteLength > size) return undefined
    members.push({ ...member, content })
  }
  const isEachNew = new Set(members.map(({ name }) => name)).size === members.length
  return isEachNew ? members : undefined
}
