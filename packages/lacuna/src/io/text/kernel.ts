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
  parseEntries(
    at: number,
    end: number,
    order: number,
    hasValues: number,
    limits: number,
    columns: number,
    capacity: number,
  ): number
  stop(): number
  countLines(from: number, to: number): number
  entries(): number
  largest(column: number, count: number): number
  anyNegative(values: number, count: number): number
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
  rowStop(): number
  rowLines(): number
  emptyFields(starts: number, ends: number, rows: number): number
  decimals(base: number, starts: number, ends: number, rows: number, out: number): number
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
  freshNumbers(): number
  rememberLabel(
    at: number,
    end: number,
    numbers: number,
    size: number,
    texts: number,
    mask: number,
    code: number,
  ): number
  gridTimes(
    base: number,
    starts: number,
    ends: number,
    rows: number,
    origin: number,
    unit: number,
    out: number,
  ): number
  numberTimes(): number
  lookUpCells(cells: number, valid: number, rows: number, table: number, size: number, out: number): number
  hashEntries(columns: number, stride: number, order: number, count: number, out: number): void
  countBuckets(hashes: number, count: number, buckets: number, counts: number): void
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
  hasDuplicate(scattered: number, from: number, to: number, slots: number, mask: number): number
}

const PAGE = 2 ** 16
/** Bytes before and behind the text that the kernel may read: it reads sixteen bytes at a time. */
export const MARGIN = 64

const ascii = new TextDecoder('latin1')

/** Compiles the kernel; an instance has its own memory. */
export const compileTextKernel = (): Promise<WebAssembly.Module> =>
  WebAssembly.compile(Uint8Array.from(atob(textKernel), (char) => char.charCodeAt(0)))

/**
 * Starts an instance of the kernel.
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
