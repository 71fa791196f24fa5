/**
 * Unpacks members of a zip file by its directory, piece by piece: a member may be larger than memory. Trusts
 * nothing: neither names (a member must not land outside the folder) nor sizes (a small zip may unpack to
 * terabytes).
 */
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { InputError } from '../../../inputError.ts'
import { explainFileError } from '../files/fileError.ts'
import { writeFileWhole } from '../files/writeFileWhole.ts'

interface Member {
  name: string
  /** 0: stored, 8: deflated */
  method: number
  checksum: number
  packedLength: number
  byteLength: number
  /** Where its header begins in the zip. */
  start: number
}

/** Text packs to a third or a tenth; what unpacks to more than this many times its size is no data set. */
const MAX_RATIO = 100
const MAX_DIRECTORY = 2 ** 24
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
    const members = await readDirectory(file, size, zip)
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

function choose(members: readonly Member[], name: string, zip: string): Member {
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

/** The directory at the end of the file, found by its closing record. */
async function readDirectory(file: FileHandle, size: number, zip: string): Promise<Member[]> {
  const tail = await readAt(file, Math.max(0, size - 65557), Math.min(size, 65557)) // a comment may follow the record
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== 0x06054b50) end--
  if (end < 0) throw damaged(zip)
  const count = tail.readUInt16LE(end + 10)
  const length = tail.readUInt32LE(end + 12)
  const start = tail.readUInt32LE(end + 16)
  if (start === 0xffffffff || count === 0xffff)
    throw new InputError(
      'format',
      `${zip}: this zip file is of the kind for more than 4 GiB, which is not read here; unpack it yourself.`,
    )
  if (length > MAX_DIRECTORY || start + length > size) throw damaged(zip)
  const directory = await readAt(file, start, length)
  const members: Member[] = []
  for (let at = 0, i = 0; i < count; i++) {
    if (at + 46 > length || directory.readUInt32LE(at) !== 0x02014b50) throw damaged(zip)
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    members.push({
      name: directory.toString('utf8', at + 46, nameEnd),
      method: directory.readUInt16LE(at + 10),
      checksum: directory.readUInt32LE(at + 16),
      packedLength: directory.readUInt32LE(at + 20),
      byteLength: directory.readUInt32LE(at + 24),
      start: directory.readUInt32LE(at + 42),
    })
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return members
}

async function* unpack(
  file: FileHandle,
  member: Member,
  zip: string,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  if (member.method !== 0 && member.method !== 8)
    throw new InputError(
      'format',
      `${zip}: ${member.name} is packed by an unusual method (${member.method}); unpack it yourself.`,
    )
  const header = await readAt(file, member.start, 30)
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50) throw damaged(zip)
  // The header's own name and extra field may have other lengths than the directory's.
  const start = member.start + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
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

/** The bytes there; fewer at the end of the file. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done)
    if (bytesRead === 0) break
    done += bytesRead
  }
  return bytes.subarray(0, done)
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
