/**
 * Unpacks LZ4 frames, as Arrow packs its buffers: blocks of literals and copies of earlier bytes. After "LZ4 Frame
 * Format" and "LZ4 Block Format". Checksums are skipped, not compared.
 */

const MAGIC = 0x184d2204
/** The highest bit of a block's length: the block is stored as it is. */
const STORED = 0x80000000

/** Unpacks a frame to exactly `length` bytes; throws a RangeError if it is damaged or has another length. */
export function unpackLz4Frame(packed: Uint8Array, length: number): Uint8Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  if (view.getUint32(0, true) !== MAGIC) throw new RangeError('no LZ4 frame')
  const flags = packed[4]
  const hasBlockChecksums = (flags & 0x10) !== 0
  const hasSize = (flags & 0x08) !== 0
  const hasDictionary = (flags & 0x01) !== 0
  let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0)
  const target = new Uint8Array(length)
  let end = 0
  for (;;) {
    const word = view.getUint32(at, true)
    at += 4
    if (word === 0) break
    const size = word & ~STORED
    const block = packed.subarray(at, at + size)
    if (block.length < size) throw new RangeError('a block is cut short')
    if (word >>> 31 === 1) {
      if (end + size > length) throw new RangeError('a block is too long')
      target.set(block, end)
      end += size
    } else end = unpackBlock(block, target, end)
    at += size + (hasBlockChecksums ? 4 : 0)
  }
  if (end !== length) throw new RangeError('the frame has another length')
  return target
}

/** Unpacks a block behind the first `start` bytes of the target; returns the end of what it wrote. */
function unpackBlock(block: Uint8Array, target: Uint8Array, start: number): number {
  let [at, to] = [0, start]
  /** A length of four bits, continued by bytes of 255. */
  const extended = (length: number): number => {
    if (length < 15) return length
    for (;;) {
      const byte = block[at++]
      if (byte === undefined) throw new RangeError('a length is cut short')
      length += byte
      if (byte < 255) return length
    }
  }
  while (at < block.length) {
    const token = block[at++]
    const literals = extended(token >>> 4)
    if (at + literals > block.length || to + literals > target.length)
      throw new RangeError('too many literals')
    target.set(block.subarray(at, at + literals), to)
    at += literals
    to += literals
    if (at === block.length) return to // the last sequence has literals alone
    const distance = block[at] | (block[at + 1] << 8)
    at += 2
    const length = extended(token & 15) + 4
    if (!(distance > 0) || distance > to || to + length > target.length)
      throw new RangeError('a copy leaves the data')
    // Byte by byte: a copy may overlap what it writes.
    for (const stop = to + length; to < stop; to++) target[to] = target[to - distance]
  }
  return to
}
