/** Pictures by path, through sharp, which is loaded when the first one is read or written. */
import { readFile, stat } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import { InputError } from '../../base/inputError.ts'
import { explainMissingPackage } from '../../base/missingPackage.ts'
import type { Picture } from '../../image/index.ts'
import { explainFileError, type Replacement, replaceFiles, writeChunks } from './files/index.ts'

/** A picture, and its transparent pixels. */
export interface ImageFile {
  /** The picture without its alpha channel. */
  picture: Picture
  /** (height × width), up to the picture's maximum: 0 is transparent. Only where the file has such pixels. */
  alpha?: Uint8Array | Uint16Array
}

/** More pixels than this are refused before they are unpacked: a small file can unpack to any size. */
const MOST_PIXELS = 100e6
/** The bytes of MOST_PIXELS with four channels of 16 bits. */
const MOST_BYTES = 8 * MOST_PIXELS
const FORMATS = ['png', 'jpeg', 'webp', 'tiff', 'heif']

/** Loads sharp, which is an optional package. */
async function loadSharp(): Promise<typeof import('sharp')['default']> {
  const { default: sharp } = await import('sharp').catch(
    explainMissingPackage('sharp', 'Reading and writing pictures'),
  )
  return sharp
}

/** Reads PNG, JPEG, WebP, TIFF or AVIF, upright (as EXIF tells), grey or RGB, with 8 or 16 bits. */
export async function readImage(path: string): Promise<ImageFile> {
  const sharp = await loadSharp()
  const bytes = await readPicture(path)
  try {
    const image = sharp(bytes, { failOn: 'truncated', limitInputPixels: false })
    const { format, width, height, depth, channels, hasAlpha, space, pages = 1 } = await image.metadata()
    if (!FORMATS.includes(String(format)))
      throw new InputError('format', `${path}: this is ${format}; use PNG, JPEG, WebP, TIFF or AVIF.`)
    if (pages > 1)
      throw new InputError(
        'format',
        `${path}: this file holds ${pages} pictures; save the one you mean on its own.`,
      )
    if (width * height > MOST_PIXELS)
      throw new InputError(
        'format',
        `${path}: the picture has ${width}×${height} pixels, more than ${MOST_PIXELS / 1e6} million; scale it down first.`,
      )
    const deep = depth !== 'uchar'
    const grey = channels - (hasAlpha ? 1 : 0) === 1 && (space === 'b-w' || space === 'grey16')
    return await unpack(image.autoOrient(), deep, grey)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('format', `${path}: ${explain(error)}`, { cause: error })
  }
}

/** Reads the whole file, which may have at most MOST_BYTES. */
async function readPicture(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES)
      throw new InputError(
        'memory',
        `${path}: the file has ${size} bytes, more than a picture of ${MOST_PIXELS / 1e6} million pixels can take; scale it down first.`,
      )
    return await readFile(path)
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
}

/** Decodes the pixels of an image. @param deep with 16 bits @param grey with one channel */
async function unpack(image: Sharp, deep: boolean, grey: boolean): Promise<ImageFile> {
  // As RGB even where it is grey: sharp's raw output of 8-bit grey loses the alpha channel.
  const space = deep ? 'rgb16' : 'srgb'
  const { data: bytes, info } = await image
    .toColourspace(space)
    .raw({ depth: deep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels: all } = info
  const samples = deep ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : bytes
  const channels = grey ? 1 : 3
  const make = (length: number): Uint8Array | Uint16Array =>
    deep ? new Uint16Array(length) : new Uint8Array(length)
  const data = make(width * height * channels)
  const alpha = all % 2 === 0 ? make(width * height) : undefined
  for (let p = 0; p < width * height; p++) {
    for (let k = 0; k < channels; k++) data[p * channels + k] = samples[p * all + k]
    if (alpha) alpha[p] = samples[p * all + all - 1]
  }
  const picture: Picture = { width, height, channels, maximum: deep ? 65535 : 255, data }
  return alpha?.includes(0) ? { picture, alpha } : { picture }
}

/** An error of sharp as a sentence. */
function explain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (/unsupported image format|Input buffer is empty|Input Buffer is empty/i.test(text))
    return 'this is no picture that can be read; use PNG, JPEG, WebP, TIFF or AVIF.'
  return `the picture is damaged or cut off (${text.split('\n')[0].replace(/\.$/, '')}); fetch it again.`
}

/** A picture to be written as PNG. */
export interface PngFile {
  path: string
  picture: Picture
  /** Pixels with 0 in it are transparent. */
  alpha?: Uint8Array
}

/**
 * Writes a PNG, with 8 or 16 bits as the picture has. Where `alpha` is given, pixels with 0 in it are
 * transparent.
 */
export async function writePng(path: string, picture: Picture, alpha?: Uint8Array): Promise<void> {
  await writePngs([{ path, picture, alpha }])
}

/** Writes several PNGs as one unit: all or none. */
export async function writePngs(files: readonly PngFile[]): Promise<void> {
  const written: Replacement[] = []
  for (const { path, picture, alpha } of files)
    written.push(writeChunks(path, [await encodePng(picture, alpha)]))
  await replaceFiles(written)
}

/** Encodes a picture as PNG. */
async function encodePng(picture: Picture, alpha: Uint8Array | undefined): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const { width, height, channels, maximum, data } = picture
  const all = alpha ? channels + 1 : channels
  const samples =
    maximum === 255 ? new Uint8Array(width * height * all) : new Uint16Array(width * height * all)
  for (let p = 0; p < width * height; p++) {
    for (let k = 0; k < channels; k++) samples[p * all + k] = data[p * channels + k]
    if (alpha) samples[p * all + channels] = alpha[p] ? maximum : 0
  }
  const space = maximum === 255 ? (channels === 1 ? 'b-w' : 'srgb') : channels === 1 ? 'grey16' : 'rgb16'
  return sharp(samples, { raw: { width, height, channels: all as 1 | 2 | 3 | 4 } })
    .toColourspace(space)
    .png()
    .toBuffer()
}
