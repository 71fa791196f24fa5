/**
 * Lists the members of a zip file by the directory at its end, without reading their contents. Files of more
 * than 4 GiB have a second end record for the numbers that are too large for the first (zip64). No number in
 * the file is trusted.
 */
import type { FileHandle } from 'node:fs/promises'

/** A file in a zip, as the zip's directory describes it. */
export interface ZipMember {
  name: string
  /** The compression: 0 is stored, 8 is deflated. */
  method: number
  /** CRC-32 of the unpacked content. */
  checksum: number
  /** Bytes of the content in the zip. */
  packedLength: number
  /** Bytes of the unpacked content. */
  byteLength: number
  /** The position of its local header in the zip. */
  start: number
}

// Signatures of the records.
const END = 0x06054b50
const END_64 = 0x06064b50
const LOCATOR_64 = 0x07064b50
const ENTRY = 0x02014b50
const LOCAL_HEADER = 0x04034b50
/** The id of the extra field with the numbers of an entry that do not fit in 32 bits. */
const EXTRA_64 = 1
/** A 32-bit number has this value if the actual number is in the extra field EXTRA_64. */
const SEE_EXTRA_64 = 0xffffffff
/** Bytes of the largest directory that is read: 64 MiB. */
const MAX_DIRECTORY = 2 ** 26

/**
 * Lists the members in the order of the directory; undefined if that is missing or damaged.
 * @param size of the file
 */
export async function zipMembers(file: FileHandle, size: number): Promise<ZipMember[] | undefined> {
  // The end record has 22 bytes, and a comment of up to 65,535 may follow it.
  const tail = await readAt(file, Math.max(0, size - 65_557), Math.min(size, 65_557))
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--
  if (end < 0) return undefined
  const directoryRange = (await findDirectory64(file, tail, end)) ?? {
    count: tail.readUInt16LE(end + 10),
    length: tail.readUInt32LE(end + 12),
    start: tail.readUInt32LE(end + 16),
  }
  const { count, length, start } = directoryRange
  if (length > MAX_DIRECTORY || start + length > size) return undefined
  const directory = await readAt(file, start, length)
  if (directory.length < length) return undefined
  const members: ZipMember[] = []
  for (let at = 0, i = 0; i < count; i++) {
    if (at + 46 > length || directory.readUInt32LE(at) !== ENTRY) return undefined
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30)
    if (extraEnd > length) return undefined
    const large = numbersOfExtra64(directory.subarray(nameEnd, extraEnd))
    const number = (offset: number): number => {
      const given = directory.readUInt32LE(at + offset)
      return given === SEE_EXTRA_64 ? (large.shift() ?? given) : given
    }
    const byteLength = number(24)
    const packedLength = number(20)
    members.push({
      name: directory.toString('utf8', at + 46, nameEnd),
      method: directory.readUInt16LE(at + 10),
      checksum: directory.readUInt32LE(at + 16),
      packedLength,
      byteLength,
      start: number(42),
    })
    at = extraEnd + directory.readUInt16LE(at + 32)
  }
  return members
}

/**
 * Returns the number of entries, length and position of the directory from the zip64 end record; undefined if
 * there is none.
 * @param tail the last bytes of the file @param end the position of the plain end record in it
 */
async function findDirectory64(
  file: FileHandle,
  tail: Buffer,
  end: number,
): Promise<{ count: number; length: number; start: number } | undefined> {
  if (end < 20 || tail.readUInt32LE(end - 20) !== LOCATOR_64) return undefined
  const record = await readAt(file, Number(tail.readBigUInt64LE(end - 12)), 56)
  if (record.length < 56 || record.readUInt32LE(0) !== END_64) return undefined
  const [count, length, start] = [32, 40, 48].map((offset) => Number(record.readBigUInt64LE(offset)))
  return { count, length, start }
}

/**
 * Returns the 64-bit numbers of an entry's extra fields; empty if there are none. Only those that do not fit
 * in 32 bits are there, in the order unpacked length, packed length, start.
 */
function numbersOfExtra64(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2)
    if (extra.readUInt16LE(at) === EXTRA_64)
      return Array.from({ length: Math.floor(Math.min(length, extra.length - at - 4) / 8) }, (_, i) =>
        Number(extra.readBigUInt64LE(at + 4 + 8 * i)),
      )
    at += 4 + length
  }
  return []
}

/** Returns the position at which the content of a member begins; undefined if its local header is missing. */
export async function contentStart(
  file: FileHandle,
  { start }: Pick<ZipMember, 'start'>,
): Promise<number | undefined> {
  const header = await readAt(file, start, 30)
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL_HEADER) return undefined
  // The header's own name and extra field may have other lengths than the directory's.
  return start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
}

/** Reads `length` bytes from a position; fewer at the end of the file. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length)
  let done = 0
  while (done < length) {
    // More than 2 GiB at a time is refused by the system.
    const count = Math.min(length - done, 2 ** 30)
    const { bytesRead } = await file.read(bytes, done, count, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
}
