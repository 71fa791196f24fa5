/** Real data by file, read when an experiment first needs it. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { readTensor, type SparseTensor } from 'lacuna'
import { type Picture, readImage } from 'lacuna/image'
import { explainFileError, isTableFile, type RecipeName } from 'lacuna/internal'
import { readTable } from 'lacuna/tables'
import type { Progress } from '../progress.ts'

/** A real data set. */
export interface RealData {
  /** Names of the files, for the report. */
  source: string
  /** Reads the files once; later calls return the same tensor. */
  read(progress: Progress): Promise<SparseTensor>
}

/** Returns a data set of files, read when first needed: one .tns or array, or tables by their recipe. */
export function openRealData(files: readonly string[], recipe: RecipeName): RealData {
  const source = files.map((file) => basename(file)).join(', ')
  let tensor: Promise<SparseTensor> | undefined
  return {
    source,
    read(progress) {
      if (!tensor) progress(`Reading ${source}`)
      tensor ??=
        files.length === 1 && !isTableFile(files[0])
          ? readTensor(files[0], { duplicates: 'sum' })
          : readTable(files, { recipe })
      return tensor
    },
  }
}

/** Reads a picture, and scales it down to about maxPixels pixels if it has more; its bit depth stays. */
export async function readPicture(path: string, maxPixels: number): Promise<Picture> {
  const { picture } = await readImage(path)
  const { width, height, channels, maximum, data } = picture
  const ratio = Math.sqrt(maxPixels / (width * height))
  if (ratio >= 1) return picture
  const { default: sharp } = await import('sharp')
  const deep = maximum > 255
  const spaces = deep ? { 1: 'grey16', 3: 'rgb16' } : { 1: 'b-w', 3: 'srgb' }
  const scaled = await sharp(data, { raw: { width, height, channels } })
    .resize(Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio)), { fit: 'fill' })
    .toColourspace(spaces[channels])
    .raw({ depth: deep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { buffer, byteOffset, byteLength } = scaled.data
  const bytes = new Uint8Array(buffer, byteOffset, byteLength).slice()
  return {
    ...{ width: scaled.info.width, height: scaled.info.height, channels, maximum },
    data: deep ? new Uint16Array(bytes.buffer) : bytes,
  }
}

/** Returns a text that identifies files by their names and by 12 digits of the SHA-256 of their contents. */
export async function fingerprint(files: readonly string[]): Promise<string> {
  const items: string[] = []
  for (const file of files) {
    const hash = createHash('sha256')
    try {
      for await (const chunk of createReadStream(file)) hash.update(chunk)
    } catch (error) {
      throw explainFileError(error, file, 'read')
    }
    items.push(`${basename(file)} (${hash.digest('hex').slice(0, 12)})`)
  }
  return items.join(', ')
}
