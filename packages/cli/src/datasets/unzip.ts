/**
 * Unpacks members of a zip file as streams: a member may be larger than memory. Neither names (a member must
 * not land outside the folder) nor sizes (a small zip may unpack to terabytes) of the zip are trusted.
 */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { InputError } from 'lacuna'
import { contentStart, explainFileError, writeFileWhole, type ZipMember, zipMembers } from 'lacuna/internal'

/** Largest ratio of unpacked to packed size that is accepted; text packs to a third or a tenth. */
const MAX_RATIO = 100

/**
 * Unpacks members of a zip file into a folder. Throws if the zip is damaged, lacks a member, claims too large
 * a size, or has names that point outside the folder.
 * @param wanted names of the files in the folder, by the members' paths in the zip
 * @param onProgress called with the bytes unpacked so far, and in all
 */
export async function unzip(
  zip: string,
  folder: string,
  wanted: Readonly<Record<string, string>>,
  onProgress?: (bytes: number, byteLength: number) => void,
): Promise<void> {
  const { size } = await stat(zip)
  const file = await open(zip)
  try {
    const members = await zipMembers(file, size)
    if (!members) throw damagedZip(zip)
    for (const { name } of members) checkName(name, zip)
    const chosen = Object.keys(wanted).map((name) => findMember(members, name, zip))
    const total = chosen.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (total > MAX_RATIO * size + 2 ** 20)
      throw new InputError(
        'format',
        `${zip}: ${size} bytes claim to unpack to ${total}; this is no data set, remove it.`,
      )
    let before = 0
    for (const member of chosen) {
      const pieces = unpack(file, member, zip, (bytes) => onProgress?.(before + bytes, total))
      await writeFileWhole(join(folder, wanted[member.name]), pieces)
      before += member.byteLength
    }
  } catch (error) {
    throw explainZipError(error, zip)
  } finally {
    await file.close()
  }
}

/** Returns the member with a name; throws if there is none. */
function findMember(members: readonly ZipMember[], name: string, zip: string): ZipMember {
  const found = members.find((member) => member.name === name)
  if (!found)
    throw new InputError(
      'format',
      `${zip}: there is no ${name} in it; this is another data set, or another version.`,
    )
  return found
}

/** Throws if the name of a member is absolute or leads upwards. */
function checkName(name: string, zip: string): void {
  if (/^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes('..') || name.includes('\0'))
    throw new InputError(
      'format',
      `${zip}: its member ${JSON.stringify(name)} points outside the folder; do not trust this file.`,
    )
}

/**
 * Yields the unpacked content of a member; throws if it has another length or CRC than the directory states.
 */
async function* unpack(
  file: FileHandle,
  member: ZipMember,
  zip: string,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const { name, method, packedLength, byteLength } = member
  if (method !== 0 && method !== 8)
    throw new InputError(
      'format',
      `${zip}: ${name} is packed by an unusual method (${method}); unpack it yourself.`,
    )
  const start = await contentStart(file, member)
  if (start === undefined) throw damagedZip(zip)
  let bytes = 0
  let checksum = 0
  if (packedLength > 0) {
    const packed = file.createReadStream({ start, end: start + packedLength - 1, autoClose: false })
    const pieces = method === 8 ? pipeline(packed, createInflateRaw(), () => {}) : packed
    for await (const piece of pieces as AsyncIterable<Uint8Array>) {
      bytes += piece.length
      if (bytes > byteLength) throw damagedZip(zip)
      checksum = crc32(piece, checksum)
      onProgress(bytes)
      yield piece
    }
  }
  if (bytes !== byteLength || checksum !== member.checksum) throw damagedZip(zip)
}

/** The error for a damaged zip. */
function damagedZip(zip: string): InputError {
  return new InputError('format', `${zip}: the zip file is truncated or damaged; fetch it again.`)
}

/** Turns errors of decompression and of reading into InputErrors of one sentence. */
function explainZipError(error: unknown, zip: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('Z_') || code === 'ERR_OUT_OF_RANGE' || code === 'ERR_BUFFER_OUT_OF_BOUNDS')
    return damagedZip(zip)
  return explainFileError(error, zip, 'read')
}
