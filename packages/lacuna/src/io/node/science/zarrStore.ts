/** Zarr stores on this machine: folders, and zip files of them. */
import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { InputError } from '../../../base/inputError.ts'
import type { ZarrStore } from '../../science/index.ts'
import { oneLine } from '../../text/index.ts'
import { contentStart, explainFileError, readAt, type ZipMember, zipMembers } from '../files/index.ts'

/** Files that describe an array. */
const METADATA = ['.zarray', 'zarr.json']
/** The most folders that are searched for arrays, and their depth. */
const [MAX_FOLDERS, MAX_DEPTH] = [10_000, 32]

/** A folder as a store. Links that lead out of it are not followed. */
export function folderStore(path: string, maxBytes: number): ZarrStore {
  const root = realpath(path)
  return {
    async metadataKeys() {
      const keys: string[] = []
      let folders = 0
      const search = async (folder: string, depth: number): Promise<void> => {
        if (++folders > MAX_FOLDERS || depth > MAX_DEPTH) return
        const entries = await readdir(join(path, folder), { withFileTypes: true })
        const found = METADATA.find((name) => entries.some((entry) => entry.isFile() && entry.name === name))
        if (found) keys.push(`${folder}/${found}`)
        // An array's own folders hold chunks.
        if (found === '.zarray' || (found && (await isArray(join(path, folder, found))))) return
        for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1)))
          if (entry.isDirectory()) await search(`${folder}/${entry.name}`, depth + 1)
      }
      await search('', 0).catch((error) => {
        throw explainFileError(error, path, 'read')
      })
      return keys
    },
    async get(key) {
      const target = await realpath(join(path, key)).catch(() => undefined)
      if (target === undefined) return undefined
      if (!target.startsWith(`${await root}${sep}`))
        throw new InputError(
          'format',
          `${path}: ${oneLine(key.slice(1))} is a link that leads out of the folder; copy the file into it.`,
        )
      const status = await stat(target)
      if (!status.isFile()) return undefined
      if (status.size > maxBytes)
        throw new InputError(
          'memory',
          `${path}: ${oneLine(key.slice(1))} has ${status.size} bytes, more than fit in memory here.`,
        )
      return readFile(target)
    },
  }
}

/** Whether a zarr.json describes an array, not a group. */
async function isArray(path: string): Promise<boolean> {
  return /"node_type"\s*:\s*"array"/.test(await readFile(path, 'utf8'))
}

/**
 * Opens a zip file as a store. Members are unpacked up to the size that the zip declares.
 * @param maxBytes most bytes of a member, packed and unpacked
 */
export async function zipStore(path: string, maxBytes: number): Promise<ZarrStore> {
  const file = await open(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
  const members = new Map<string, ZipMember>()
  try {
    const { size } = await file.stat()
    const listed = await zipMembers(file, size)
    if (!listed)
      throw new InputError(
        'format',
        `${path}: this is no whole zip file; it is truncated or damaged, write it again.`,
      )
    for (const member of listed) members.set(`/${member.name}`, member)
  } finally {
    await file.close()
  }
  // Zipped with or without the folder itself.
  const [first = ''] = [...members.keys()]
  const isNested = ![...members.keys()].some((key) => METADATA.concat('.zgroup').includes(key.slice(1)))
  const prefix = isNested ? (/^\/[^/]+(?=\/)/.exec(first)?.[0] ?? '') : ''
  return {
    metadataKeys: async () =>
      [...members.keys()]
        .filter((key) => key.startsWith(prefix) && METADATA.some((name) => key.endsWith(`/${name}`)))
        .map((key) => key.slice(prefix.length))
        .sort(),
    async get(key) {
      const member = members.get(prefix + key)
      if (!member) return undefined
      if (member.byteLength > maxBytes || member.packedLength > maxBytes)
        throw new InputError(
          'memory',
          `${path}: ${oneLine(key.slice(1))} has ${member.byteLength} bytes, more than fit in memory here.`,
        )
      const handle = await open(path)
      try {
        const start = await contentStart(handle, member)
        const packed = start === undefined ? undefined : await readAt(handle, start, member.packedLength)
        if (!packed || packed.length < member.packedLength) throw new RangeError('cut short')
        return member.method === 0
          ? packed
          : inflateRawSync(packed, { maxOutputLength: Math.max(1, member.byteLength) })
      } catch (cause) {
        throw new InputError(
          'format',
          `${path}: ${oneLine(key.slice(1))} cannot be unpacked; the zip is damaged.`,
          {
            cause,
          },
        )
      } finally {
        await handle.close()
      }
    },
  }
}
