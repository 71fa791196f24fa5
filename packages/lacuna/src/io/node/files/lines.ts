/** Lines of a file by the positions of the bytes at which they begin. */
import type { FileHandle } from 'node:fs/promises'
import { byteOrderMarkLength, isEntryLine, LF } from '../../text/index.ts'

const READ_BYTES = 2 ** 20

/** Reads the lines that begin at the bytes from … to − 1, in pieces. */
export async function* linesBetween(file: FileHandle, from: number, to: number): AsyncGenerator<Uint8Array> {
  if (from >= to) return
  // The first begins after the first line feed from the byte before on.
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
    // The last ends with the first line feed from the byte before `to` on.
    const limit = Math.max(start, to - 1 - at)
    const end = limit < bytesRead ? piece.indexOf(LF, limit) + 1 : 0
    yield piece.subarray(start, end > 0 ? end : bytesRead)
    if (end > 0) return
    at += bytesRead
  }
}

/** The number of lines before the first line that begins at a byte or after it. */
export async function countLines(file: FileHandle, from: number): Promise<number> {
  let lines = 0
  for await (const piece of linesBetween(file, 0, from)) for (const byte of piece) if (byte === LF) lines++
  return lines
}

/**
 * The head of a .tns file, up to the end of its first entry; the whole file if it has none.
 * @param most the most bytes to read; undefined if there is no entry among them
 */
export async function firstLines(file: FileHandle, most: number): Promise<Uint8Array | undefined> {
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
    if (4 * length > most) return undefined
  }
}
