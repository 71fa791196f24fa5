/** Unpacks zlib and gzip data up to a limit. */

import { Decompress } from 'fflate'
import { concatenate } from '../../base/bytes.ts'

/** Bytes of packed data that are unpacked at a time. */
const STEP = 2 ** 16

/**
 * Unpacks a zlib or gzip stream. Throws a RangeError if it is cut short, and what `tooLarge` makes if it has more
 * than `room` bytes, as a bomb has, before more than a step beyond them are unpacked.
 */
export function unpackLimited(packed: Uint8Array, room: number, tooLarge: () => Error): Uint8Array {
  const pieces: Uint8Array[] = []
  let length = 0
  let isWhole = false
  const stream = new Decompress((piece, final) => {
    length += piece.length
    if (length > room) throw tooLarge()
    pieces.push(piece)
    isWhole ||= final
  })
  for (let at = 0; at < packed.length; at += STEP)
    stream.push(packed.subarray(at, at + STEP), at + STEP >= packed.length)
  if (!isWhole) throw new RangeError('a packed stream is cut short')
  return concatenate(Uint8Array, pieces)
}
