/**
 * The element types of .npy files, by NumPy's names: kind and size as in f4, after < for little-endian or >
 * for big.
 */

/** The elements of an array. */
export type NpyData =
  | Float32Array
  | Float64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array

type ElementArray = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => NpyData

const arrays = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  i8: BigInt64Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
  u8: BigUint64Array,
} as const

/** Types that are read but never written: halves become float32, truth values bytes. */
const readAs = { f2: Uint16Array, b1: Uint8Array } as const

/** NumPy's names of the types that can be read. */
export const readableTypes: readonly string[] = [...Object.keys(arrays), ...Object.keys(readAs)]

/** A type of elements. */
export interface ElementType {
  byteLength: number
  /** Decodes the elements; the result is a view of the bytes where nothing must be converted. */
  decode(bytes: Uint8Array): NpyData
}

/** The element type that a header names; undefined if it is not one of plain numbers. */
export function elementType(descr: string): ElementType | undefined {
  const [, order, name] = /^([<>|])([a-z]\d+)$/.exec(descr) ?? []
  if (name === undefined || !readableTypes.includes(name)) return undefined
  const known = { ...arrays, ...readAs }[name as keyof typeof arrays | keyof typeof readAs]
  const Type: ElementArray = known
  const size = known.BYTES_PER_ELEMENT
  return {
    byteLength: size,
    decode(bytes) {
      // An element must lie at a multiple of its size: elsewhere, and to turn bytes round, it takes a copy.
      const turn = order === '>' && size > 1
      const own = turn || bytes.byteOffset % size !== 0 ? bytes.slice() : bytes
      if (turn) for (let at = 0; at < own.length; at += size) own.subarray(at, at + size).reverse()
      const data: NpyData = new Type(own.buffer, own.byteOffset, own.length / size)
      return name === 'f2' ? Float32Array.from(data as Uint16Array, fromHalf) : data
    },
  }
}

/** The header's name for the elements of an array. */
export function typeName(data: NpyData): string {
  const [name] = Object.entries(arrays).find(([, Type]) => data instanceof Type) ?? ['']
  return `${data.BYTES_PER_ELEMENT === 1 ? '|' : '<'}${name}`
}

/** IEEE 754's binary16: a sign, 5 bits of exponent, 10 of fraction. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}
