/** NumPy's .npz: a zip of .npy arrays, here with room for other files beside them. */

import { unzipSync, zipSync } from 'fflate'
import type { Bytes } from '../../base/bytes.ts'
import { crc32 } from '../../base/crc32.ts'
import { InputError } from '../../base/inputError.ts'
import { decodeNpy, encodeNpy, type NpyArray } from './npy.ts'
import { zipChecksums } from './zip.ts'

/** The files of an .npz by name: arrays if the name ends in .npy, else bytes. */
export type NpzEntries = Record<string, NpyArray | Uint8Array>

/** Zip counts bytes in 32 bits, as fflate writes it. */
const MAX_BYTES = 2 ** 32 - 1

/**
 * Encodes an .npz file, not compressed: factors hardly compress, and NumPy can then map them. Equal entries
 * give equal bytes.
 */
export function encodeNpz(entries: NpzEntries): Bytes {
  const files: Record<string, Uint8Array> = {}
  let total = 0
  for (const [name, entry] of Object.entries(entries)) {
    files[name] = entry instanceof Uint8Array ? entry : encodeNpy(entry)
    total += files[name].length
  }
  if (total > MAX_BYTES * 0.99)
    throw new InputError('memory', `An .npz of ${total} bytes is too large: zip ends at 4 GiB.`)
  return zipSync(files, { level: 0, mtime: new Date(1980, 0, 1) })
}

/** Options of `decodeNpz`. */
export interface UnpackOptions {
  /** More than this, in all, is not unpacked; 4 GiB by default. */
  maxBytes?: number
}

/** Deflate packs 258 bytes into no less than 2 bits, so a file that claims more was not packed by it. */
const MOST_PACKING = 1032

/** Decodes an .npz file. @param name the file, as messages call it */
export function decodeNpz(bytes: Uint8Array, name: string, options: UnpackOptions = {}): NpzEntries {
  const entries: NpzEntries = {}
  for (const [file, content] of Object.entries(unpackNpz(bytes, name, options)))
    entries[file] = file.endsWith('.npy') ? decodeNpy(content, `${name}, ${file}`) : content
  return entries
}

/** Unpacks the files of a zip by name and verifies their checksums; arrays are not decoded. */
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

/** The error for a damaged zip. */
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
 * Refuses a zip that claims to hold too much, before anything is unpacked; fflate unpacks no more than is
 * claimed.
 */
function checkSizes(bytes: Uint8Array, name: string, maxBytes: number): void {
  let total = 0
  unzipSync(bytes, {
    filter({ name: file, size, originalSize }) {
      // A file of 4 GiB has its sizes elsewhere, and these fields full of ones.
      if (originalSize >= MAX_BYTES || size >= MAX_BYTES)
        throw new InputError(
          'memory',
          `${name}: ${file} would unpack to 4 GiB or more; save a smaller array, if this is no zip bomb.`,
        )
      if (size > bytes.length || originalSize > MOST_PACKING * (size + 1))
        throw new InputError(
          'format',
          `${name}: ${file} claims to unpack from ${size} to ${originalSize} bytes, which no zip can do; the file is damaged or a zip bomb.`,
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
