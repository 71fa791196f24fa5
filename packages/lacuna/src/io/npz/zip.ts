/** Functions for the zip format that fflate lacks: writing in chunks without a copy, and checksums. */
import { crc32 } from '../../base/crc32.ts'
import { InputError } from '../../base/inputError.ts'

/** A file to be stored in a zip. */
export interface StoredFile {
  /** The name. If it is not in ASCII, it is written in UTF-8, and the zip's flag for that is set. */
  name: string
  /** The content; iterated twice, for the checksum, which comes first, and to be written. */
  chunks: readonly Uint8Array[]
}

/** The signatures with which the records of a zip begin. */
const LOCAL_HEADER = 0x04034b50
const DIRECTORY_ENTRY = 0x02014b50
const END_OF_DIRECTORY = 0x06054b50
/** Version 2.0 of the zip format, times ten. */
const VERSION_NEEDED = 20
/** The flag of a file whose name is in UTF-8. */
const UTF8_NAMES = 0x800
/** 1 January 1980 in the format of MS-DOS, where zip's calendar begins. */
const DATE = 0x21
/** The largest size that a field of 32 bits holds. */
const MAX_BYTES = 2 ** 32 - 1

/**
 * Writes a zip of files that are stored, not packed, in chunks that are not copied. Equal files give equal
 * bytes. Throws above 4 GiB.
 */
export function* writeStoredZip(files: readonly StoredFile[]): Generator<Uint8Array> {
  const total = files.reduce((sum, { chunks }) => sum + lengthOf(chunks), 0)
  if (total > MAX_BYTES * 0.99)
    throw new InputError(
      'memory',
      `An .npz of ${total} bytes is too large: zip ends at 4 GiB; write .tns or Parquet.`,
    )
  const directory: Uint8Array[] = []
  let at = 0
  for (const { name, chunks } of files) {
    const length = lengthOf(chunks)
    const title = new TextEncoder().encode(name)
    const flags = title.length > name.length ? UTF8_NAMES : 0
    // Method 0: stored; time and date; check sum; packed and plain length; length of the name; no extra
    // field.
    const common = [
      u16(VERSION_NEEDED),
      u16(flags),
      u16(0),
      u16(0),
      u16(DATE),
      u32(checksum(chunks)),
      u32(length),
    ]
    common.push(u32(length), u16(title.length), u16(0))
    const header = [u32(LOCAL_HEADER), ...common, [...title]].flat()
    // No comment, disk 0, no attributes; where the local header lies.
    const rest = [u16(0), u16(0), u16(0), u32(0), u32(at)]
    directory.push(
      Uint8Array.from([u32(DIRECTORY_ENTRY), u16(VERSION_NEEDED), ...common, ...rest, [...title]].flat()),
    )
    yield Uint8Array.from(header)
    yield* chunks
    at += header.length + length
  }
  yield* directory
  const counts = [u16(0), u16(0), u16(files.length), u16(files.length)]
  yield Uint8Array.from([u32(END_OF_DIRECTORY), ...counts, u32(lengthOf(directory)), u32(at), u16(0)].flat())
}

/** The number of bytes of all chunks together. */
const lengthOf = (chunks: readonly Uint8Array[]): number =>
  chunks.reduce((sum, { length }) => sum + length, 0)
/** The CRC-32 of all chunks, one after the other. */
const checksum = (chunks: readonly Uint8Array[]): number =>
  chunks.reduce((sum, chunk) => crc32(chunk, sum), 0)
/** A number as two bytes, little-endian. */
const u16 = (n: number): number[] => [n & 255, n >>> 8]
/** A number as four bytes, little-endian. */
const u32 = (n: number): number[] => [n & 255, (n >>> 8) & 255, (n >>> 16) & 255, n >>> 24]

/**
 * The CRC-32 of each file, by name, from the directory at a zip's end; empty if the directory is beyond
 * 4 GiB. fflate does not verify it, but stored numbers have no other guard: a flipped bit would change a
 * factor unnoticed.
 */
export function zipChecksums(zip: Uint8Array): Map<string, number> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
  let end = zip.length - 22
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--
  const checksums = new Map<string, number>()
  let at = view.getUint32(end + 16, true)
  while (at + 46 <= end && view.getUint32(at, true) === DIRECTORY_ENTRY) {
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength))
    checksums.set(name, view.getUint32(at + 16, true))
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return checksums
}
