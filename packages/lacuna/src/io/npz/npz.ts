/** NumPy's .npz: a zip of .npy arrays, here with room for other files beside them. */

import { unzipSync } from 'fflate'
import { type Bytes, concatenate } from '../../base/bytes.ts'
import { crc32 } from '../../base/crc32.ts'
import { InputError } from '../../base/inputError.ts'
import { abbreviate, oneLine } from '../text/index.ts'
import { decodeNpy, type NpyArray, npyChunks } from './npy.ts'
import { writeStoredZip, zipChecksums } from './zip.ts'

/** The files of an .npz by name: arrays if the name ends in .npy, else bytes. */
export type NpzEntries = Record<string, NpyArray | Uint8Array>

/** The most bytes of a zip, and of its files unpacked: fflate writes sizes in 32 bits. */
const MAX_BYTES = 2 ** 32 - 1

/**
 * Encodes an .npz file in chunks, of which the arrays are views, not compressed: factors hardly compress, and
 * NumPy can then map them. Equal entries give equal bytes. Throws above 4 GiB.
 */
export function npzChunks(entries: NpzEntries): Generator<Uint8Array> {
  return writeStoredZip(
    Object.entries(entries).map(([name, entry]) => ({
      name,
      chunks: entry instanceof Uint8Array ? [entry] : npyChunks(entry),
    })),
  )
}

/** Encodes an .npz file as `npzChunks` does, as one array of bytes. */
export function encodeNpz(entries: NpzEntries): Bytes {
  return concatenate(Uint8Array, [...npzChunks(entries)])
}

/** Options of `decodeNpz`. */
export interface UnpackOptions {
  /** The most bytes to which all files together may unpack; more is an error. 4 GiB by default. */
  maxBytes?: number
}

/** The most bytes to which deflate can unpack one byte: it packs 258 bytes into no less than 2 bits. */
const MAX_UNPACKING_RATIO = 1032

/**
 * Decodes the arrays of an .npz file; files of other names stay bytes. Throws if the file is damaged.
 * @param name the file, as messages call it
 */
export function decodeNpz(bytes: Uint8Array, name: string, options: UnpackOptions = {}): NpzEntries {
  const entries: NpzEntries = {}
  for (const [file, content] of Object.entries(unpackNpz(bytes, name, options)))
    entries[file] = file.endsWith('.npy') ? decodeNpy(content, `${name}, ${displayName(file)}`) : content
  return entries
}

/** Unpacks the files of a zip, by name; arrays are not decoded. Throws if a size or checksum is wrong. */
export function unpackNpz(
  bytes: Uint8Array,
  name: string,
  { maxBytes = MAX_BYTES }: UnpackOptions = {},
): Record<string, Uint8Array> {
  if (!(bytes[0] === 0x50 && bytes[1] === 0x4b))
    // PK
    throw new InputError(
      'format',
      `${name}: this is not a zip file, hence no .npz; write it with numpy.savez.`,
    )
  try {
    checkSizes(bytes, name, maxBytes)
    const files = unzipSync(bytes)
    for (const [file, checksum] of zipChecksums(bytes))
      if (files[file] && crc32(files[file]) !== checksum)
        throw new RangeError(`The check sum of ${file} is wrong.`)
    return files
  } catch (cause) {
    if (cause instanceof InputError) throw cause
    throw damagedZip(name, cause)
  }
}

/** The name of a file in a zip, which may be anything, for messages. */
export const displayName = (file: string): string => oneLine(abbreviate(file))

/** The error for a damaged zip. @param name the file, as messages call it */
export const damagedZip = (name: string, cause?: unknown): InputError =>
  new InputError('format', `${name}: the zip file is truncated or damaged; copy or write it again.`, {
    cause,
  })

/** The names of the files in the zip, without unpacking any; none if it is damaged. */
export function listNpz(bytes: Uint8Array): string[] {
  const names: string[] = []
  try {
    unzipSync(bytes, {
      filter({ name }) {
        names.push(name)
        return false
      },
    })
  } catch {
    // Unpacking it explains what is wrong.
  }
  return names
}

/**
 * Throws if the directory of a zip claims that its files unpack to more than `maxBytes` or than is possible.
 * Called before anything is unpacked; fflate unpacks no more than is claimed.
 */
function checkSizes(bytes: Uint8Array, name: string, maxBytes: number): void {
  let total = 0
  unzipSync(bytes, {
    filter({ name: file, size, originalSize }) {
      // A file of 4 GiB has its sizes elsewhere, and these fields full of ones.
      if (originalSize >= MAX_BYTES || size >= MAX_BYTES)
        throw new InputError(
          'memory',
          `${name}: ${displayName(file)} would unpack to 4 GiB or more; save a smaller array, if this is no zip bomb.`,
        )
      if (size > bytes.length || originalSize > MAX_UNPACKING_RATIO * (size + 1))
        throw new InputError(
          'format',
          `${name}: ${displayName(file)} claims to unpack from ${size} to ${originalSize} bytes, which no zip can do; the file is damaged or a zip bomb.`,
        )
      total += originalSize
      return false
    },
  })
  if (total > maxBytes)
    throw new InputError(
      'memory',
      `${name}: the ${bytes.length} bytes would unpack to ${total}, more than the ${maxBytes} that are allowed; save fewer or smaller arrays, if this is no zip bomb.`,
    )
}
