/** Reads and writes picture files through sharp, which is loaded when the first one is read or written. */
import { readFile, stat } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import { InputError } from '../../base/inputError.ts'
import { explainMissingPackage } from '../../base/missingPackage.ts'
import type { Picture } from '../../image/index.ts'
import { explainFileError, prepareReplacement, type Replacement, replaceFiles } from './files/index.ts'

/** A picture, and its transparent pixels. */
export interface ImageFile {
  /** The picture without its alpha channel. */
  picture: Picture
  /**
   * Opacity (height × width) from 0, which is transparent, to the picture's maximum; undefined if no pixel is
   * fully transparent.
   */
  alpha?: Uint8Array | Uint16Array
}

/** More pixels than this are refused before they are unpacked: a small file can unpack to any size. */
const MAX_PIXELS = 100e6
/** Beyond this many pixels, a file that claims more than MAX_PIXELS_PER_BYTE is refused before it is unpacked. */
const SMALL_PIXELS = 16e6
const MAX_PIXELS_PER_BYTE = 1000
/** Larger files are refused before they are read: the bytes of MAX_PIXELS with four channels of 16 bits. */
const MAX_BYTES = 8 * MAX_PIXELS
/** The formats that are read, as sharp calls them; heif is AVIF. */
const FORMATS = ['png', 'jpeg', 'webp', 'tiff', 'heif']

/**
 * Loads sharp, which is an optional package; throws an error that explains how to install it if it is
 * missing.
 */
async function loadSharp(): Promise<typeof import('sharp')['default']> {
  const { default: sharp } = await import('sharp').catch(
    explainMissingPackage('sharp', 'Reading and writing pictures'),
  )
  return sharp
}

/**
 * Reads PNG, JPEG, WebP, TIFF or AVIF, rotated as its EXIF orientation says, as grey or RGB with 8 or 16
 * bits. Throws an InputError for other formats, several pages, damaged files and more than 100 million
 * pixels.
 */
export async function readImage(path: string): Promise<ImageFile> {
  const sharp = await loadSharp()
  const bytes = await readBytes(path)
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
    if (width * height > MAX_PIXELS)
      throw new InputError(
        'format',
        `${path}: the picture has ${width}×${height} pixels, more than ${MAX_PIXELS / 1e6} million; scale it down first.`,
      )
    if (width * height > Math.max(SMALL_PIXELS, MAX_PIXELS_PER_BYTE * bytes.length))
      throw new InputError(
        'format',
        `${path}: it claims ${width}×${height} pixels in ${bytes.length} bytes, as a damaged picture or a bomb does; fetch it again.`,
      )
    const isDeep = depth !== 'uchar'
    const isGrey = channels - (hasAlpha ? 1 : 0) === 1 && (space === 'b-w' || space === 'grey16')
    return await decodePixels(image.autoOrient(), isDeep, isGrey)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('format', `${path}: ${explainSharpError(error)}`, { cause: error })
  }
}

/** Reads the undecoded bytes of a file; throws if it has more than MAX_BYTES. */
async function readBytes(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path)
    if (size > MAX_BYTES)
      throw new InputError(
        'memory',
        `${path}: the file has ${size} bytes, more than a picture of ${MAX_PIXELS / 1e6} million pixels can take; scale it down first.`,
      )
    return await readFile(path)
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
}

/**
 * Decodes the pixels of an image and separates its alpha channel.
 * @param isDeep whether samples have 16 bits, not 8 @param isGrey whether one colour channel is returned, not
 * 3
 */
async function decodePixels(image: Sharp, isDeep: boolean, isGrey: boolean): Promise<ImageFile> {
  // Grey pictures are read as RGB, too: sharp's raw output of 8-bit grey loses the alpha channel.
  const space = isDeep ? 'rgb16' : 'srgb'
  const { data: bytes, info } = await image
    .toColourspace(space)
    .raw({ depth: isDeep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels: channelCount } = info
  const samples = isDeep ? new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) : bytes
  const channels = isGrey ? 1 : 3
  const allocate = (length: number): Uint8Array | Uint16Array =>
    isDeep ? new Uint16Array(length) : new Uint8Array(length)
  const data = allocate(width * height * channels)
  const alpha = channelCount % 2 === 0 ? allocate(width * height) : undefined
  for (let p = 0; p < width * height; p++) {
    for (let k = 0; k < channels; k++) data[p * channels + k] = samples[p * channelCount + k]
    if (alpha) alpha[p] = samples[(p + 1) * channelCount - 1]
  }
  const picture: Picture = { width, height, channels, maximum: isDeep ? 65535 : 255, data }
  return alpha?.includes(0) ? { picture, alpha } : { picture }
}

/** Returns the sentence for an error of sharp: no picture, or a damaged one. */
function explainSharpError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (/unsupported image format|Input buffer is empty|Input Buffer is empty/i.test(text))
    return 'this is no picture that can be read; use PNG, JPEG, WebP, TIFF or AVIF.'
  return `the picture is damaged or cut off (${text.split('\n')[0].replace(/\.$/, '')}); fetch it again.`
}

/** A picture to be written as PNG. */
export interface PngFile {
  path: string
  picture: Picture
  /** (height × width): pixels with 0 in it become transparent, others opaque; all are opaque by default. */
  alpha?: Uint8Array
}

/**
 * Writes a PNG with 8 or 16 bits, as the picture's maximum says. Where `alpha` (height × width) is given,
 * pixels with 0 in it become transparent, others opaque.
 */
export async function writePng(path: string, picture: Picture, alpha?: Uint8Array): Promise<void> {
  await writePngs([{ path, picture, alpha }])
}

/** Writes several PNGs as one unit: all or none. */
export async function writePngs(files: readonly PngFile[]): Promise<void> {
  const replacements: Replacement[] = []
  for (const { path, picture, alpha } of files)
    replacements.push(prepareReplacement(path, [await encodePng(picture, alpha)]))
  await replaceFiles(replacements)
}

/** Encodes a picture as PNG. @param alpha (height × width): 0 is transparent, all else opaque */
async function encodePng(picture: Picture, alpha: Uint8Array | undefined): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const { width, height, channels, maximum, data } = picture
  const channelCount = alpha ? channels + 1 : channels
  const samples =
    maximum === 255
      ? new Uint8Array(width * height * channelCount)
      : new Uint16Array(width * height * channelCount)
  for (let p = 0; p < width * height; p++) {
    for (let k = 0; k < channels; k++) samples[p * channelCount + k] = data[p * channels + k]
    if (alpha) samples[p * channelCount + channels] = alpha[p] ? maximum : 0
  }
  const space = maximum === 255 ? (channels === 1 ? 'b-w' : 'srgb') : channels === 1 ? 'grey16' : 'rgb16'
  return sharp(samples, { raw: { width, height, channels: channelCount as 1 | 2 | 3 | 4 } })
    .toColourspace(space)
    .png()
    .toBuffer()
}
