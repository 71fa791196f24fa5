/** NumPy's .npz: a zip of .npy arrays, here with room for other files beside them. */
import { unzipSync, zipSync } from 'fflate'
import { InputError } from '../inputError.ts'
import { decodeNpy, encodeNpy, type NpyArray } from './npy.ts'
import { crc32, zipChecksums } from './zipChecksums.ts'

/** By name in the zip: an array if the name ends in .npy, else the file's bytes. */
export type NpzEntries = Record<string, NpyArray | Uint8Array>

/** Zip counts bytes in 32 bits, as fflate writes it. */
const MAX_BYTES = 2 ** 32 - 1

/** Stored, not compressed: factors hardly compress, and NumPy can then map them. The same entries give the same bytes. */
export function encodeNpz(entries: NpzEntries): Uint8Array<ArrayBuffer> {
  const files: Record<string, Uint8Array> = {}
  let total = 0
  for (const [name, entry] of Object.entries(entries)) {
    files[name] = entry instanceof Uint8Array ? entry : encodeNpy(entry)
    total += files[name].length
  }
  if (total > MAX_BYTES * 0.99)
    throw new InputError(`An .npz of ${total} bytes is too large: zip ends at 4 GiB.`)
  return zipSync(files, { level: 0, mtime: new Date(1980, 0, 1) })
}

/** `name` is how messages call the file. */
export function decodeNpz(bytes: Uint8Array, name: string): NpzEntries {
  if (!(bytes[0] === 0x50 && bytes[1] === 0x4b))
    // PK
    throw new InputError(`${name}: this is not a zip file, hence no .npz; write it with numpy.savez.`)
  const entries: NpzEntries = {}
  for (const [file, content] of Object.entries(unzip(bytes, name)))
    entries[file] = file.endsWith('.npy') ? decodeNpy(content, `${name}, ${file}`) : content
  return entries
}

function unzip(bytes: Uint8Array, name: string): Record<string, Uint8Array> {
  try {
    const files = unzipSync(bytes)
    for (const [file, checksum] of zipChecksums(bytes))
      if (files[file] && crc32(files[file]) !== checksum)
        throw new RangeError(`The check sum of ${file} is wrong.`)
    return files
  } catch (cause) {
    throw new InputError(`${name}: the zip file is truncated or damaged; copy or write it again.`, { cause })
  }
}
