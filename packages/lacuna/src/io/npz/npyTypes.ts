/**
 * The element types of .npy files, by NumPy's names: kind and size as in f4, after < for little-endian or >
 * for big.
 */

/** The elements of an array, as a typed array. */
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

/** The constructor of a typed array over a buffer. */
type ElementArray = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => NpyData

/** The typed array of each element type that is read and written. */
const arrayTypes = {
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

/**
 * The typed arrays of types that are read but never written: float16 (then converted to float32), booleans.
 */
const readOnlyTypes = { f2: Uint16Array, b1: Uint8Array } as const

/** NumPy's names of the types that can be read. */
export const readableTypes: readonly string[] = [...Object.keys(arrayTypes), ...Object.keys(readOnlyTypes)]

/** An element type of .npy files. */
export interface ElementType {
  /** Bytes per element. */
  byteLength: number
  /** Decodes the elements; the result is a view of the bytes where nothing must be converted. */
  decode(bytes: Uint8Array): NpyData
}

/**
 * The element type that a header names; undefined if it is not one of plain numbers.
 * @param descr NumPy's name of the type, such as '<f4'
 */
export function elementType(descr: string): ElementType | undefined {
  const [, order, name] = /^([<>|])([a-z]\d+)$/.exec(descr) ?? []
  if (name === undefined || !readableTypes.includes(name)) return undefined
  const arrayType = { ...arrayTypes, ...readOnlyTypes }[
    name as keyof typeof arrayTypes | keyof typeof readOnlyTypes
  ]
  const Type: ElementArray = arrayType
  const size = arrayType.BYTES_PER_ELEMENT
  return {
    byteLength: size,
    decode(bytes) {
      // An element must lie at a multiple of its size: elsewhere, and to swap bytes, it takes a copy.
      const swap = order === '>' && size > 1
      const aligned = swap || bytes.byteOffset % size !== 0 ? bytes.slice() : bytes
      if (swap) for (let at = 0; at < aligned.length; at += size) aligned.subarray(at, at + size).reverse()
      const data: NpyData = new Type(aligned.buffer, aligned.byteOffset, aligned.length / size)
      return name === 'f2' ? Float32Array.from(data as Uint16Array, halfToNumber) : data
    },
  }
}

/** NumPy's name for the type of an array's elements, as headers hold it: '<f4', '|u1'. */
export function typeName(data: NpyData): string {
  const [name] = Object.entries(arrayTypes).find(([, Type]) => data instanceof Type) ?? ['']
  return `${data.BYTES_PER_ELEMENT === 1 ? '|' : '<'}${name}`
}

/** The number that the bits of a float16 (IEEE 754 binary16) stand for: 1 sign, 5 exponent, 10 fraction. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? NaN : sign * Infinity
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}
