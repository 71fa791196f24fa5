/**
 * The log of updates beside a model: lines of a checksum and JSON, appended and synced before an update is
 * acknowledged. The first line names the model file by its digest; every other line is a batch of updates. A
 * last line that is incomplete was never acknowledged and is cut off; any other damage is an error.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { InputError } from 'lacuna'
import { explainFileError, writeFileWhole } from 'lacuna/internal'
import type { UpdateRequest } from '../schemas/index.ts'

/** A batch of updates, which one line holds and one sync made durable. */
export interface Batch {
  /** Number of the first update of the batch; they are counted from 1. */
  first: number
  updates: readonly UpdateRequest[]
}

/** Format and version of the log, in its first line. */
const FORMAT = 'lacuna-updates'
const VERSION = 1

/** The log of one model, open for appending. */
export class UpdateLog {
  readonly #path: string
  #file: FileHandle
  /** Length of the log up to the last line that was synced. */
  #length: number
  /** Set by a failure after which it is not known what the disk holds. */
  #isBroken = false

  private constructor(path: string, file: FileHandle, length: number) {
    this.#path = path
    this.#file = file
    this.#length = length
  }

  /**
   * Opens the log of a model, or makes an empty one.
   * @param base digest of the model file that the updates are made to
   * @returns the log and its batches, in their order
   */
  static async open(path: string, base: string): Promise<{ log: UpdateLog; batches: Batch[] }> {
    let file = await open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw explainFileError(error, path, 'read')
    })
    if (!file) {
      await writeFileWhole(path, [header(base)])
      file = await open(path, 'r+')
    }
    try {
      const bytes = await file.readFile()
      const { batches, length } = parseLog(bytes, path, base)
      if (length < bytes.length) {
        await file.truncate(length)
        await file.sync()
      }
      return { log: new UpdateLog(path, file, length), batches }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** Appends a batch and syncs it to the disk. Throws if that fails; then the log is as it was before. */
  async append(batch: Batch): Promise<void> {
    if (this.#isBroken)
      throw new InputError(
        'file',
        `${this.#path} could not be written; restart the server to take updates again.`,
      )
    const line = encodeLine(batch)
    try {
      let written = 0
      while (written < line.length)
        written += (await this.#file.write(line, written, line.length - written, this.#length + written))
          .bytesWritten
    } catch (error) {
      // The write failed, for example on a full disk: the written part of the line is removed.
      await this.#file.truncate(this.#length).catch(() => {
        this.#isBroken = true
      })
      throw explainFileError(error, this.#path, 'write')
    }
    try {
      await this.#file.datasync()
    } catch (error) {
      // After a failed sync the system may have dropped the data, so that nothing more can be promised.
      this.#isBroken = true
      throw explainFileError(error, this.#path, 'write')
    }
    this.#length += line.length
  }

  /** Replaces the log by an empty one, atomically; if that fails, it is as it was. @param base digest of the model file */
  async clear(base: string): Promise<void> {
    await writeFileWhole(this.#path, [header(base)])
    const old = this.#file
    // The old file has no name any more, so that appending to it would lose the update.
    this.#isBroken = true
    this.#file = await open(this.#path, 'r+')
    this.#length = header(base).length
    this.#isBroken = false
    await old.close()
  }

  /** Bytes of all batches. */
  get byteLength(): number {
    return this.#length
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#file.close()
  }
}

/** Reads the batches of a log without changing it; none if there is no file. @param base digest of the model file */
export async function readLog(path: string, base: string): Promise<Batch[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw explainFileError(error, path, 'read')
  })
  return bytes ? parseLog(bytes, path, base).batches : []
}

/** The first line of a log. */
const header = (base: string): Uint8Array => encodeLine({ format: FORMAT, version: VERSION, base })

/** A line: the CRC-32 of the JSON in eight hexadecimal digits, a space, the JSON. */
function encodeLine(content: object): Uint8Array {
  const json = JSON.stringify(content)
  return Buffer.from(`${checksum(json)} ${json}\n`)
}

/** The CRC-32 of a text in UTF-8, as eight hexadecimal digits. */
const checksum = (text: string | Buffer): string => crc32(text).toString(16).padStart(8, '0')

/**
 * Decodes a log. Throws if a line other than the last one is damaged, or if the updates are those of another model.
 * @returns the batches, and the length of what is intact
 */
function parseLog(bytes: Buffer, path: string, base: string): { batches: Batch[]; length: number } {
  const batches: Batch[] = []
  let start = 0
  let isFirst = true
  while (start < bytes.length) {
    const end = bytes.indexOf(10, start)
    const content = end < 0 ? undefined : decodeLine(bytes.subarray(start, end))
    if (content === undefined) {
      // Damage that is not at the end is no write that was interrupted.
      if (isFirst || (end >= 0 && end + 1 < bytes.length))
        throw new InputError(
          'format',
          `${path}: the log of updates is damaged at byte ${start}; restore it from a backup, or move it away to serve the model without updates.`,
        )
      break
    }
    if (isFirst) checkHeader(content, path, base)
    else batches.push(content as unknown as Batch)
    isFirst = false
    start = end + 1
  }
  return { batches, length: start }
}

/** The content of a line; undefined if its checksum is wrong. */
function decodeLine(line: Buffer): Record<string, unknown> | undefined {
  const json = line.subarray(9)
  if (line[8] !== 32 || line.subarray(0, 8).toString('latin1') !== checksum(json)) return undefined
  return JSON.parse(json.toString()) as Record<string, unknown>
}

/** Throws unless the first line is that of a log of this model. */
function checkHeader(content: Record<string, unknown>, path: string, base: string): void {
  if (content.format !== FORMAT || content.version !== VERSION)
    throw new InputError('format', `${path}: this is no log of updates that this version of Lacuna can read.`)
  if (content.base !== base)
    throw new InputError(
      'checkpoint',
      `${path} has updates of another version of the model; move it and the updated model away to serve the file without them.`,
    )
}
