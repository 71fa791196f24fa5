/** Reads and counts the lines of a file by the positions of the bytes at which they begin. */
import type { FileHandle } from 'node:fs/promises'
import { byteOrderMarkLength, isEntryLine, LF } from '../../text/index.ts'

/** Bytes that are read from the file at a time. */
const READ_BYTES = 2 ** 20

/**
 * Yields the bytes of the lines that begin at the positions from … to − 1 of a file, in pieces that may cut
 * lines. A line begins at position 0 and behind each line feed.
 */
export async function* linesBetween(file: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  if (from >= to) return
  // The first line begins behind the first line feed at from − 1 or later.
  let isInside = from === 0
  for (let at = Math.max(0, from - 1); ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(READ_BYTES), 0, READ_BYTES, at)
    if (bytesRead === 0) return
    const piece = buffer.subarray(0, bytesRead)
    let start = 0
    if (!isInside) {
      start = piece.indexOf(LF) + 1
      if (start === 0) {
        at += bytesRead
        continue
      }
      isInside = true
      if (at + start >= to) return
    }
    // The last line ends with the first line feed at to − 1 or later.
    const limit = Math.max(start, to - 1 - at)
    const end = limit < bytesRead ? piece.indexOf(LF, limit) + 1 : 0
    yield piece.subarray(start, end > 0 ? end : bytesRead)
    if (end > 0) return
    at += bytesRead
  }
}

/** Returns the number of lines that begin before position `to` of a file and end with a line feed. */
export async function countLines(file: FileHandle, to: number): Promise<number> {
  let lines = 0
  for await (const piece of linesBetween(file, 0, to)) for (const byte of piece) if (byte === LF) lines++
  return lines
}

/**
 * Reads the head of a .tns file: its comments and its first entry; the whole file if it has no entry. Returns
 * undefined if the head is longer than about maxBytes.
 */
export async function readTnsHead(file: FileHandle, maxBytes: number): Promise<Uint8Array | undefined> {
  for (let length = 2 ** 16; ; length *= 4) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, 0)
    const bytes = buffer.subarray(0, bytesRead)
    for (let start = 0; start < bytesRead; ) {
      const lineEnd = bytes.indexOf(LF, start) + 1
      const isWhole = lineEnd > 0
      if (!isWhole && bytesRead === length) break
      const end = isWhole ? lineEnd : bytesRead
      if (isEntryLine(bytes, start === 0 ? byteOrderMarkLength(bytes) : start)) return bytes.subarray(0, end)
      start = end
    }
    if (bytesRead < length) return bytes
    if (4 * length > maxBytes) return undefined
  }
}
