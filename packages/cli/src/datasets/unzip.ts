/**
 * Unpacks members of a zip file by its directory, piece by piece: a member may be larger than memory. Trusts
 * nothing: neither names (a member must not land outside the folder) nor sizes (a small zip may unpack to
 * terabytes).
 */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { InputError } from 'lacuna'
import {
  contentStart,
  explainFileError,
  readAt,
  writeFileWhole,
  type ZipMember,
  zipMembers,
} from 'lacuna/internal'

/** Text packs to a third or a tenth; what unpacks to more than this many times its size is no data set. */
const MAX_RATIO = 100
const READ_BYTES = 2 ** 18

/** `wanted`: by path in the zip, the file's name in the folder. */
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
    if (!members) throw damaged(zip)
    for (const { name } of members) checkName(name, zip)
    const chosen = Object.keys(wanted).map((name) => choose(members, name, zip))
    const total = chosen.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (total > MAX_RATIO * size + 2 ** 20)
      throw new DamagedZip(
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

function choose(members: readonly ZipMember[], name: string, zip: string): ZipMember {
  const found = members.find((member) => member.name === name)
  if (!found)
    throw new InputError(
      'format',
      `${zip}: there is no ${name} in it; this is another data set, or another version.`,
    )
  return found
}

function checkName(name: string, zip: string): void {
  if (/^[/\\]|^[a-z]:/i.test(name) || name.split(/[/\\]/).includes('..') || name.includes('\0'))
    throw new DamagedZip(
      'format',
      `${zip}: its member ${JSON.stringify(name)} points outside the folder; do not trust this file.`,
    )
}

async function* unpack(
  file: FileHandle,
  member: ZipMember,
  zip: string,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  if (member.method !== 0 && member.method !== 8)
    throw new InputError(
      'format',
      `${zip}: ${member.name} is packed by an unusual method (${member.method}); unpack it yourself.`,
    )
  const start = await contentStart(file, member)
  if (start === undefined) throw damaged(zip)
  const packed = readPieces(file, start, member.packedLength, zip)
  let bytes = 0
  let checksum = 0
  for await (const piece of member.method === 8 ? inflate(packed) : packed) {
    bytes += piece.length
    if (bytes > member.byteLength) throw damaged(zip)
    checksum = crc32(piece, checksum)
    onProgress(bytes)
    yield piece
  }
  if (bytes !== member.byteLength || checksum !== member.checksum) throw damaged(zip)
}

async function* inflate(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed)
  const inflater = createInflateRaw({ chunkSize: READ_BYTES })
  source.on('error', (error) => inflater.destroy(error))
  try {
    yield* source.pipe(inflater)
  } finally {
    source.destroy()
    inflater.destroy()
  }
}

async function* readPieces(
  file: FileHandle,
  start: number,
  length: number,
  zip: string,
): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < length; ) {
    const piece = await readAt(file, start + done, Math.min(READ_BYTES, length - done))
    if (piece.length === 0) throw damaged(zip)
    done += piece.length
    yield piece
  }
}

/** Not what its sender packed: no use to keep it. */
export class DamagedZip extends InputError {}

function damaged(zip: string): DamagedZip {
  return new DamagedZip('format', `${zip}: the zip file is truncated or damaged; fetch it again.`)
}

function explainZipError(error: unknown, zip: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('Z_') || code === 'ERR_OUT_OF_RANGE' || code === 'ERR_BUFFER_OUT_OF_BOUNDS')
    return damaged(zip)
  return explainFileError(error, zip, 'read')
}
