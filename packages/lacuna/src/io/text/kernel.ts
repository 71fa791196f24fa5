/**
 * The kernel that parses text, in wasm (kernels/text). Each instance has its own memory, to which text is
 * written.
 */
import { textKernel } from '../../embedded/textKernel.js'

/** The exports of the kernel; kernels/text documents them. All positions are addresses in its memory. */
export interface TextKernel {
  memory: WebAssembly.Memory
  /** The first address that the kernel does not use itself. */
  freeFrom(): number
  /** Parses lines of .tns into columns until one that is no entry; returns the number of entries. */
  parseEntries(
    at: number,
    end: number,
    order: number,
    hasValues: number,
    limits: number,
    columns: number,
    capacity: number,
  ): number
  /** The address at which `parseEntries` stopped. */
  stop(): number
  /** The number of lines that begin in [from, to), each behind a line feed. */
  countLines(from: number, to: number): number
  /** The number of entries among the lines that `countLines` counted last. */
  entries(): number
  /** The largest of `count` indices; 0 if there are none. */
  largest(column: number, count: number): number
  /** 1 if one of `count` values is below 0, else 0. */
  anyNegative(values: number, count: number): number
  /** Splits lines of a table into fields; returns the number of rows, with the `rows` split before. */
  splitRows(
    base: number,
    at: number,
    end: number,
    first: number,
    second: number,
    width: number,
    slots: number,
    starts: number,
    ends: number,
    lines: number,
    capacity: number,
    rows: number,
    line: number,
  ): number
  /** The address at which `splitRows` stopped. */
  rowStop(): number
  /** The number of lines that `splitRows` passed, blank ones included. */
  rowLines(): number
  /** The number of empty fields of a column. */
  emptyFields(starts: number, ends: number, rows: number): number
  /** Reads the fields of a column as float32; returns the number of fields that are no numbers. */
  decimals(base: number, starts: number, ends: number, rows: number, out: number): number
  /** Writes the cached codes of valid fields; returns the number of codes that are missing. */
  lookUpLabels(
    base: number,
    starts: number,
    ends: number,
    valid: number,
    rows: number,
    numbers: number,
    size: number,
    texts: number,
    mask: number,
    out: number,
    next: number,
    fresh: number,
  ): number
  /** The number of whole numbers to which the last `lookUpLabels` gave new codes. */
  freshNumbers(): number
  /** Adds the code of a text to the cache, if it fits; returns 1 if it is a new whole number, else 0. */
  rememberLabel(
    at: number,
    end: number,
    numbers: number,
    size: number,
    texts: number,
    mask: number,
    code: number,
  ): number
  /** Reads times as cells of a grid; returns the number of fields that are no plain times. */
  gridTimes(
    base: number,
    starts: number,
    ends: number,
    rows: number,
    origin: number,
    unit: number,
    out: number,
  ): number
  /** The number of fields that the last `gridTimes` read as Unix times. */
  numberTimes(): number
  /** Writes the cached codes of valid grid cells; returns the number of codes that are missing. */
  lookUpCells(cells: number, valid: number, rows: number, table: number, size: number, out: number): number
  /** Hashes the coordinates of `count` entries. */
  hashEntries(columns: number, stride: number, order: number, count: number, out: number): void
  /** Adds `count` hashes to the counters of their buckets. */
  countBuckets(hashes: number, count: number, buckets: number, counts: number): void
  /** Scatters the hashes of a thread's own buckets, with the numbers of their entries. */
  scatterToBuckets(
    hashes: number,
    count: number,
    buckets: number,
    first: number,
    own: number,
    next: number,
    number: number,
    scattered: number,
  ): void
  /** 1 if two of the scattered entries `from` … `to` − 1 have the same coordinates, else 0. */
  hasDuplicate(scattered: number, from: number, to: number, slots: number, mask: number): number
}

/** Bytes per page of wasm memory. */
const PAGE = 2 ** 16
/** Bytes before and behind the text that the kernel may read: it reads sixteen bytes at a time. */
export const MARGIN = 64

const ascii = new TextDecoder('latin1')

/** Compiles the kernel from the wasm embedded in the library. Rejects where a page's policy forbids wasm. */
export const compileTextKernel = (): Promise<WebAssembly.Module> =>
  WebAssembly.compile(Uint8Array.from(atob(textKernel), (char) => char.charCodeAt(0)))

/**
 * Starts an instance of the kernel with memory of its own. Throws a RangeError if there is not enough.
 * @param byteLength the bytes of memory that are needed from `freeFrom` on
 * @param isSame whether two entries have the same coordinates; needed for `hasDuplicate` only
 */
export function startTextKernel(
  module: WebAssembly.Module,
  byteLength: number,
  isSame: (a: number, b: number) => boolean = () => false,
): TextKernel {
  let bytes: Uint8Array = new Uint8Array(0)
  const exactly = (from: number, to: number): number =>
    Math.fround(Number(ascii.decode(bytes.subarray(from, to))))
  const host = { exactly, isSame: (a: number, b: number) => (isSame(a >>> 0, b >>> 0) ? 1 : 0) }
  const instance = new WebAssembly.Instance(module, { host })
  const kernel = instance.exports as unknown as TextKernel
  const { memory } = kernel
  const missing = kernel.freeFrom() + byteLength - memory.buffer.byteLength
  memory.grow(Math.max(0, Math.ceil(missing / PAGE)))
  bytes = new Uint8Array(memory.buffer)
  return kernel
}
