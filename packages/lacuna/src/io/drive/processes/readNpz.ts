/**
 * An .npz of coordinates and values read by several processes: each reads its range of the entries from the
 * arrays, which are stored as they are. What else is in the file is small, and checked before (npzArrays.ts).
 * The bytes are checked against the zip's check sums, which are put together from those of the pieces that
 * each process has read.
 */
import { crc32 } from 'node:zlib'
import { joinCrc32 } from '../../../base/crc32.ts'
import { InputError, inFile } from '../../../base/inputError.ts'
import { float32Array, uint32Array } from '../../../base/sharedArrays.ts'
import type { Communicator } from '../../../comm/index.ts'
import {
  cellChecks,
  checkShape,
  type Fault,
  firstFault,
  fitToDims,
  largestPlusOne,
  mergeShares,
  refuseFirst,
  type SparseTensor,
} from '../../../tensor/index.ts'
import { asValues, toIndices } from '../../array/index.ts'
import { readAt } from '../../node/index.ts'
import { damagedZip, type NpyData } from '../../npz/index.ts'
import { type NpzArrays, openNpzArrays, type StoredArray, type StoredMember } from './npzArrays.ts'
import type { ReadShardOptions } from './readTns.ts'

/** Elements that are read at a time; bytes of what is only checked. */
const PIECE = 2 ** 18

/** This process's share of the entries, with sizes and labels that are those of all. */
export async function readNpzShare(
  communicator: Communicator,
  path: string,
  options: ReadShardOptions,
): Promise<SparseTensor> {
  const { dims, negative = 'error', duplicates = 'error', onProgress } = options
  const arrays = await communicator.failTogether(() => mustOpen(path, options))
  try {
    const { entries, order } = arrays
    const border = (process: number): number => Math.floor((entries * process) / communicator.size)
    const [from, to] = [border(communicator.rank), border(communicator.rank + 1)]
    const { indices, values, fault, pieces } = await communicator.failTogether(() =>
      readRange(arrays, path, from, to, communicator, onProgress),
    )
    await compareChecksums(communicator, path, arrays.members, pieces)
    await refuseFirst(communicator, fault)
    const largest = await communicator.allGatherNumbers(
      ...indices.map((column) => (column.length > 0 ? largestPlusOne(column) : 1)),
    )
    const found = Array.from({ length: order }, (_, mode) => Math.max(...largest.map((sizes) => sizes[mode])))
    const frame = { ...arrays.names, dims: arrays.dims ?? found }
    const fitted = await communicator.failTogether(
      () => inFile(path, () => fitToDims(frame, dims)),
      'unnamed',
    )
    const share = { ...fitted, indices, values }
    await communicator.failTogether(() => inFile(path, () => checkShape(share)), 'unnamed')
    const where = (entry: number): string => `entry ${from + entry}`
    const checks = cellChecks(share, negative, where).map((check) => () => inFile(path, check))
    await refuseFirst(communicator, await firstFault(checks))
    return await mergeShares(communicator, share, duplicates, {
      before: `${path}: `,
      where: async (entry) => where(entry),
    })
  } finally {
    await arrays.close()
  }
}

async function mustOpen(path: string, options: ReadShardOptions): Promise<NpzArrays> {
  const arrays = await openNpzArrays(path, options)
  // The first process has found it sound.
  if (!arrays)
    throw new InputError('file', `${path}: the file is not what the first process sees under this name.`)
  return arrays
}

/** Bytes of a member that were read, and their check sum. */
interface Piece {
  member: number
  start: number
  length: number
  checksum: number
}

interface Range {
  indices: Uint32Array[]
  values: Float32Array
  fault: Fault | undefined
  pieces: Piece[]
}

async function readRange(
  arrays: NpzArrays,
  path: string,
  from: number,
  to: number,
  { rank: process, size: processes }: Communicator,
  onProgress: ReadShardOptions['onProgress'],
): Promise<Range> {
  const { file, members, order, entries, coords, values } = arrays
  const pieces: Piece[] = []
  const total = members.reduce((sum, { byteLength }) => sum + byteLength, 0) / processes
  let done = 0
  const read = async (member: number, start: number, length: number): Promise<Uint8Array> => {
    const bytes = await readAt(file, members[member].content + start, length)
    if (bytes.length < length) throw damagedZip(path)
    const last = pieces.at(-1)
    if (last?.member === member && last.start + last.length === start) {
      last.checksum = crc32(bytes, last.checksum)
      last.length += length
    } else pieces.push({ member, start, length, checksum: crc32(bytes) })
    done += length
    onProgress?.(done, total)
    return bytes
  }
  /** The elements start … end of an array, some at a time: raw bytes may be twice what is kept of them. */
  const each = async (
    { member, header, type: { byteLength, decode } }: StoredArray,
    [start, end]: readonly [number, number],
    perPiece: number,
    take: (elements: NpyData, first: number) => void,
  ): Promise<void> => {
    for (let at = start; at < end; at += perPiece) {
      const count = Math.min(perPiece, end - at)
      take(decode(await read(member, header + at * byteLength, count * byteLength)), at - start)
    }
  }

  const data = float32Array(to - from)
  await each(values, [from, to], PIECE, (elements, first) => {
    asValues(elements, data.subarray(first))
  })
  // In one process a fault among the first mode's indices is found before any of the second mode's.
  let fault: Fault | undefined
  const indices = Array.from({ length: order }, () => uint32Array(to - from))
  const take = (elements: NpyData, mode: number, first: number): void => {
    if (fault && fault.place <= mode) return
    try {
      const what = `row ${mode} of coords`
      inFile(path, () => toIndices(elements, what, from + first, indices[mode].subarray(first)))
    } catch (error) {
      fault = { place: mode, error }
    }
  }
  if (coords.fortran)
    await each(coords, [order * from, order * to], order * PIECE, (elements, first) => {
      for (let mode = 0; mode < order; mode++) {
        const own = (_: unknown, e: number): boolean => e % order === mode
        take(elements.filter(own as never), mode, first / order)
      }
    })
  else
    for (let mode = 0; mode < order; mode++)
      await each(coords, [mode * entries + from, mode * entries + to], PIECE, (elements, first) => {
        take(elements, mode, first)
      })

  // Headers, and what else is in the file.
  for (const [member, { byteLength }] of members.entries()) {
    const isArray = member === coords.member || member === values.member
    const header = member === coords.member ? coords.header : values.header
    if (isArray && process === 0) await read(member, 0, header)
    if (isArray) continue
    const [start, end] = [process, process + 1].map((border) => Math.floor((byteLength * border) / processes))
    for (let at = start; at < end; at += PIECE) await read(member, at, Math.min(PIECE, end - at))
  }
  return { indices, values: data, fault, pieces }
}

/**
 * Every member must have been read whole by all together, and have the check sum that the directory gives.
 */
async function compareChecksums(
  communicator: Communicator,
  path: string,
  members: readonly StoredMember[],
  own: readonly Piece[],
): Promise<void> {
  const numbers = own.flatMap(({ member, start, length, checksum }) => [member, start, length, checksum])
  const all = (await communicator.allGatherNumbers(...numbers)).flatMap((words) =>
    Array.from({ length: words.length / 4 }, (_, i) => words.slice(4 * i, 4 * i + 4)),
  )
  all.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const found = members.map(() => ({ length: 0, checksum: 0 }))
  for (const [member, start, length, checksum] of all) {
    const sum = found[member]
    if (start !== sum.length) throw new Error(`${path}: a piece of ${members[member].name} was not read.`)
    sum.checksum = joinCrc32(sum.checksum, checksum, length)
    sum.length += length
  }
  if (members.some(({ checksum }, member) => checksum !== found[member].checksum)) throw damagedZip(path)
}
