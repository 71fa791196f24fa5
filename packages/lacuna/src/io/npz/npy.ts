/**
 * NumPy's .npy: a magic string, a version, a Python dict as text, then the elements. Read in C or Fortran
 * order, always handed over in C order; written little-endian, in C order, with a version 1 header.
 */

import type { Bytes } from '../../base/bytes.ts'
import { InputError } from '../../base/inputError.ts'
import { elementType, type NpyData, readableTypes, typeName } from './npyTypes.ts'

export type { NpyData }

/** An array as NumPy saves it: its elements in C order. */
export interface NpyArray {
  /** Sizes of the dimensions. */
  shape: readonly number[]
  /** The elements in C order: the last index varies fastest. */
  data: NpyData
}

/** The first bytes of every .npy file. */
const MAGIC = [0x93, ...new TextEncoder().encode('NUMPY')]
/** The header's length in bytes is a multiple of this, so that the elements are aligned, as by NumPy. */
const ALIGNMENT = 64

/** Encodes an array as an .npy file. Throws if its shape does not give the number of its elements. */
export function encodeNpy(array: NpyArray): Bytes {
  const [header, elements] = npyChunks(array)
  const bytes = new Uint8Array(header.length + elements.length)
  bytes.set(header)
  bytes.set(elements, header.length)
  return bytes
}

/**
 * Encodes an array as the two chunks of an .npy file: its header, and a view of its elements. Throws if its
 * shape does not give the number of its elements.
 */
export function npyChunks({ shape, data }: NpyArray): [header: Uint8Array, elements: Uint8Array] {
  const size = product(shape)
  if (size !== data.length)
    throw new InputError(
      'format',
      `An array of shape (${shape.join(', ')}) needs ${size} elements, not ${data.length}.`,
    )
  const elements = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  return [npyHeader(typeName(data), shape), elements]
}

/**
 * The header of an .npy file in C order: all bytes before the elements.
 * @param descr NumPy's name of the type, such as '<f4'
 */
export function npyHeader(descr: string, shape: readonly number[]): Bytes {
  const tuple = shape.length === 1 ? `${shape[0]},` : shape.join(', ')
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${tuple}), }`
  const prefix = MAGIC.length + 4
  const bytes = new Uint8Array(Math.ceil((prefix + dict.length + 1) / ALIGNMENT) * ALIGNMENT)
  bytes.set([...MAGIC, 1, 0])
  new DataView(bytes.buffer).setUint16(MAGIC.length + 2, bytes.length - prefix, true)
  bytes.set(new TextEncoder().encode(`${dict.padEnd(bytes.length - prefix - 1)}\n`), prefix)
  return bytes
}

/**
 * Decodes an .npy file to C order; the elements may be a view of the bytes. Throws if the file is damaged or
 * its elements are not plain numbers.
 * @param name the file, as messages call it
 */
export function decodeNpy(bytes: Uint8Array, name: string): NpyArray {
  const { descr, fortran, shape, body } = readNpyHeader(bytes, name)
  const type = elementType(descr)
  if (type === undefined)
    throw new InputError(
      'format',
      `${name}: the elements are of type '${descr}'; convert them with .astype('<f4') (${readableTypes.join(', ')} can be read).`,
    )
  const expected = product(shape) * type.byteLength
  if (body.length !== expected)
    throw new InputError(
      'format',
      `${name}: the shape (${shape.join(', ')}) needs ${expected} bytes of elements, but there are ${body.length}.`,
    )
  const data = type.decode(body)
  return { shape, data: fortran ? toCOrder(data, shape) : data }
}

/** Decodes a byte string (type |S…), as NumPy saves one; undefined for an array of any other type. */
export function decodeNpyText(bytes: Uint8Array, name: string): string | undefined {
  const { descr, body } = readNpyHeader(bytes, name)
  return /^\|S\d+$/.test(descr) ? new TextDecoder().decode(body) : undefined
}

/**
 * Parses the header of an .npy file; `body` is a view of the bytes behind it, whose length is not checked.
 * Throws if the header is damaged.
 * @param name the file, as messages call it
 */
export function readNpyHeader(
  bytes: Uint8Array,
  name: string,
): { descr: string; fortran: boolean; shape: number[]; body: Uint8Array } {
  const fail = (fault: string): never => {
    throw new InputError('format', `${name}: ${fault}`)
  }
  if (bytes.length < MAGIC.length || MAGIC.some((byte, at) => bytes[at] !== byte))
    fail('this is not a .npy array; write it with numpy.save or numpy.savez.')
  const version = bytes[MAGIC.length]
  if (bytes.length < MAGIC.length + 6) fail('the .npy header is cut short; the file is truncated.')
  if (!(version >= 1 && version <= 3))
    fail(`the .npy version is ${version}; versions 1, 2 and 3 can be read.`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = MAGIC.length + (version === 1 ? 4 : 6)
  const length =
    version === 1 ? view.getUint16(MAGIC.length + 2, true) : view.getUint32(MAGIC.length + 2, true)
  if (bytes.length < start + length) fail('the .npy header is cut short; the file is truncated.')

  const header = new TextDecoder().decode(bytes.subarray(start, start + length))
  const descr = /'descr'\s*:\s*'([^'\p{Cc}]*)'/u.exec(header)?.[1]
  const fortran = /'fortran_order'\s*:\s*(True|False)/.exec(header)?.[1]
  const tuple = /'shape'\s*:\s*\(([\d\s,]*)\)/.exec(header)?.[1]
  if (descr === undefined || fortran === undefined || tuple === undefined)
    return fail(
      'the .npy header names no simple element type, order and shape; save a plain array of numbers.',
    )
  const shape = (tuple.match(/\d+/g) ?? []).map(Number)
  return { descr, fortran: fortran === 'True', shape, body: bytes.subarray(start + length) }
}

/** Copies elements from Fortran order to C order. */
export function toCOrder(data: NpyData, shape: readonly number[]): NpyData {
  const ordered = data.slice()
  // In Fortran order the first index runs fastest: mode i steps over the product of the dims before it.
  const strides = shape.map((_, mode) => product(shape.slice(0, mode)))
  const index = shape.map(() => 0)
  let from = 0
  for (let to = 0; to < data.length; to++) {
    ordered[to] = data[from]
    for (let mode = shape.length - 1; mode >= 0; mode--) {
      from += strides[mode]
      if (++index[mode] < shape[mode]) break
      from -= strides[mode] * shape[mode]
      index[mode] = 0
    }
  }
  return ordered
}

/** The product of the sizes of an array: its number of elements. */
function product(shape: readonly number[]): number {
  return shape.reduce((size, dim) => size * dim, 1)
}
