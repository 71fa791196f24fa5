/**
 * MATLAB's MAT-files of level 5 (`save -v6` and `-v7`; SciPy's savemat): a header of 128 bytes, then elements of a
 * type, a length and content, each either an array or a zlib stream of one. The format is described in MathWorks'
 * "MAT-File Format". No number in the file is trusted.
 */
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import { type NpyArray, type NpyData, toCOrder } from '../npz/index.ts'
import {
  type ArrayFile,
  type ArrayVariable,
  damagedFile,
  elementCount,
  MAX_DEPTH,
  MAX_VARIABLES,
  type OpenArrayOptions,
} from './arrayFile.ts'
import { unpackLimited } from './unpack.ts'

const HEADER_BYTES = 128
/** Types of elements that hold others. */
const [MATRIX, COMPRESSED] = [14, 15]
/** Classes of arrays that are no numbers. */
const [CELL, STRUCT, CHAR, SPARSE] = [1, 2, 4, 5]
/** Names of the classes of numbers. */
const CLASSES: Readonly<Record<number, string>> = {
  ...{ 6: 'double', 7: 'single', 8: 'int8', 9: 'uint8', 10: 'int16', 11: 'uint16' },
  ...{ 12: 'int32', 13: 'uint32', 14: 'int64', 15: 'uint64' },
}
/** Names of the other classes. */
const OTHERS: Readonly<Record<number, string>> = { [CELL]: 'cell', [STRUCT]: 'struct', [CHAR]: 'char' }
/** The last class whose arrays have sizes in their heads. */
const LAST_SIZED = 16
/** Flags of an array. */
const [IS_COMPLEX, IS_LOGICAL] = [0x0800, 0x0200]
/** The typed array of each type of numbers. */
const NUMBERS: Readonly<Record<number, new (buffer: ArrayBuffer) => NpyData>> = {
  ...{ 1: Int8Array, 2: Uint8Array, 3: Int16Array, 4: Uint16Array, 5: Int32Array, 6: Uint32Array },
  ...{ 7: Float32Array, 9: Float64Array, 12: BigInt64Array, 13: BigUint64Array },
}

/** Whether bytes begin like a MAT-file of level 5. */
export const isMat5 = (bytes: Uint8Array): boolean =>
  bytes.length >= HEADER_BYTES &&
  ((bytes[126] === 0x49 && bytes[127] === 0x4d) || (bytes[126] === 0x4d && bytes[127] === 0x49)) &&
  !new TextDecoder('latin1').decode(bytes.subarray(0, 19)).startsWith('MATLAB 7.3')

/** Opens a MAT-file of level 5. Throws if it is damaged, or unpacks to more than the limit. */
export function openMat5(bytes: Uint8Array, name: string, { maxBytes }: OpenArrayOptions): ArrayFile {
  const littleEndian = bytes[126] === 0x49
  const variables: ArrayVariable[] = []
  try {
    let room = maxBytes
    for (const element of elementsOf(bytes.subarray(HEADER_BYTES), littleEndian)) {
      let array = element
      if (element.type === COMPRESSED) {
        const content = unpackLimited(element.content, room, () => tooLarge(name, maxBytes))
        room -= content.length
        array = elementsOf(content, littleEndian).next().value ?? element
      }
      if (array.type === MATRIX) listArray(array.content, undefined, 0, { littleEndian, variables })
    }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw damagedFile(name, 'MATLAB', error)
  }
  return { name, variables, close() {} }
}

/** An element of the file: its type, and a view of its content. */
interface Element {
  type: number
  content: Uint8Array
}

/** Iterates over the elements in bytes; throws a RangeError if one is longer than they are. */
function* elementsOf(bytes: Uint8Array, littleEndian: boolean): Generator<Element, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) throw new RangeError('a tag is cut short')
    const word = view.getUint32(at, littleEndian)
    // Content of up to four bytes may lie in the tag itself, whose upper half is then its length.
    const isSmall = word >>> 16 !== 0
    const type = isSmall ? word & 0xffff : word
    const length = isSmall ? word >>> 16 : view.getUint32(at + 4, littleEndian)
    const start = at + (isSmall ? 4 : 8)
    if (start + length > bytes.length || (isSmall && length > 4))
      throw new RangeError('an element is cut short')
    yield { type, content: bytes.subarray(start, start + length) }
    const end = isSmall ? at + 8 : start + length
    at = type === COMPRESSED ? end : Math.ceil(end / 8) * 8
  }
}

/** The error for variables that unpack to more than `room` bytes. */
const tooLarge = (file: string, room: number): InputError =>
  new InputError(
    'memory',
    `${file}: its variables unpack to more than the ${formatBytes(room)} that fit in memory here; save fewer of them.`,
  )

/** State that all functions which list the arrays of a file share. */
interface Listing {
  littleEndian: boolean
  /** Receives the arrays. */
  variables: ArrayVariable[]
}

/** The head of an array, and its parts behind it. */
interface ArrayHead {
  flags: number
  /** The class of the array: CELL … or one of CLASSES. */
  classOf: number
  shape: number[]
  name: string
  /** Takes the next part; throws a RangeError if there is none. */
  next(): Element
  /** Takes the next part as numbers. */
  numbers(): NpyData
}

/** Reads the head of an array. Throws a RangeError if it is damaged. */
function readHead(content: Uint8Array, littleEndian: boolean): ArrayHead {
  const parts = elementsOf(content, littleEndian)
  const next = (): Element => {
    const { value, done } = parts.next()
    if (done || !value) throw new RangeError('an array is cut short')
    return value
  }
  const numbers = (): NpyData => numbersOf(next(), littleEndian)
  const flags = Number(numbers()[0] ?? 0)
  const classOf = flags & 0xff
  const shape = classOf <= LAST_SIZED ? Array.from<number | bigint, number>(numbers(), Number) : []
  const name = new TextDecoder().decode(next().content)
  if (shape.some((size) => !(size >= 0))) throw new RangeError('a size is negative')
  return { flags, classOf, shape, name, next, numbers }
}

/**
 * Adds an array to the list, or the fields of a struct.
 * @param content of the array's element @param path in place of the array's own name, for a field of a struct
 */
function listArray(content: Uint8Array, path: string | undefined, depth: number, listing: Listing): void {
  const { littleEndian, variables } = listing
  if (content.length === 0) return // an empty field
  const head = readHead(content, littleEndian)
  const name = path ?? head.name
  if (name === '') return // MATLAB's own notes about objects
  if (variables.length >= MAX_VARIABLES) throw new RangeError('there are too many arrays')
  if (head.classOf === STRUCT && depth < MAX_DEPTH) listFields(head, name, depth, listing)
  else variables.push({ ...NOT_NUMBERS, ...describeArray(head), name, shape: head.shape })
}

/** Adds the fields of a struct: s.X, or s(2).X where there are several structs. */
function listFields(head: ArrayHead, name: string, depth: number, listing: Listing): void {
  const length = Number(head.numbers()[0])
  const names = head.next().content
  const fields = Math.floor(names.length / length)
  const structs = elementCount(head.shape)
  if (!(length > 0) || structs * fields > MAX_VARIABLES) throw new RangeError('there are too many fields')
  for (let s = 0; s < structs; s++)
    for (let f = 0; f < fields; f++) {
      const field = new TextDecoder()
        .decode(names.subarray(f * length, (f + 1) * length))
        .replace(/\0.*$/s, '')
      const owner = structs > 1 ? `${name}(${s + 1})` : name
      listArray(head.next().content, `${owner}.${field}`, depth + 1, listing)
    }
}

/** The members of an ArrayVariable for an array that is not numeric. */
const NOT_NUMBERS = {
  dimensions: [],
  attributes: {},
  read: (): never => {
    throw new RangeError('this is no array of numbers')
  },
}

/** Describes an array of numbers, dense or sparse, or the reason why it cannot be read. Throws a RangeError if it is damaged. */
function describeArray({
  classOf,
  flags,
  shape,
  numbers,
}: ArrayHead): Pick<ArrayVariable, 'kind' | 'type'> & Partial<ArrayVariable> {
  const isLogical = (flags & IS_LOGICAL) !== 0
  const isComplex = (flags & IS_COMPLEX) !== 0
  const fault = isComplex ? 'holds complex numbers; save their real part, or abs' : undefined
  const kind = isComplex ? 'other' : isLogical ? 'logical' : 'number'
  const dimensions = shape.map(() => undefined)
  if (classOf in CLASSES) {
    const elements = numbers()
    if (elements.length !== elementCount(shape)) throw new RangeError('elements are missing')
    const read = async (): Promise<NpyArray> => ({ shape, data: toCOrder(elements, shape) })
    return {
      kind,
      type: isComplex ? 'complex' : isLogical ? 'logical' : CLASSES[classOf],
      fault,
      dimensions,
      read,
    }
  }
  if (classOf === SPARSE) {
    const [rows, starts, values] = [numbers(), numbers(), numbers()].map((part) =>
      Float64Array.from<number | bigint>(part, Number),
    )
    return { kind, type: 'sparse', fault, dimensions, readSparse: () => ({ rows, starts, values }) }
  }
  const type = OTHERS[classOf] ?? 'object'
  return { kind: 'other', type, fault: `is of the type ${type}, not an array of numbers` }
}

/** The numbers of an element, in the byte order of this machine. Throws a RangeError for other elements. */
function numbersOf({ type, content }: Element, littleEndian: boolean): NpyData {
  const ArrayType = NUMBERS[type]
  if (!ArrayType) throw new RangeError(`type ${type} is none of numbers`)
  const bytes = content.slice()
  const size = new ArrayType(new ArrayBuffer(0)).BYTES_PER_ELEMENT
  if (bytes.length % size !== 0) throw new RangeError('an element is cut short')
  if (!littleEndian) for (let at = 0; at < bytes.length; at += size) bytes.subarray(at, at + size).reverse()
  return new ArrayType(bytes.buffer)
}
