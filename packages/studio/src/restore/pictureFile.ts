/** Decodes pictures from files. */
import { InputError } from 'lacuna'
import type { Size } from './damage.ts'

/** The most pixels of a picture: no browser has larger canvases; larger photos are reduced. */
export const MOST_PIXELS = 16_777_216

/** A decoded picture. */
export interface LoadedPicture {
  bitmap: ImageBitmap
  /** Width and height in the file, if the picture was reduced. */
  original?: Size
}

/**
 * Decodes a picture and reduces it to at most MOST_PIXELS pixels; transparent pixels become white. Throws if
 * the browser cannot decode it.
 * @param name the file's name for messages
 * @param maxScale upper bound of the scale factor; 1 (default) never enlarges
 */
export async function loadPicture(file: Blob, name: string, maxScale = 1): Promise<LoadedPicture> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new InputError(
      'option',
      `${name} is no picture that this browser can open; drop a JPEG, PNG, WebP or AVIF file.`,
    )
  })
  const scale = Math.min(maxScale, Math.sqrt(MOST_PIXELS / (bitmap.width * bitmap.height)))
  const width = Math.max(1, Math.floor(bitmap.width * scale))
  const height = Math.max(1, Math.floor(bitmap.height * scale))
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')!
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, width, height)
  const original: Size = [bitmap.width, bitmap.height]
  bitmap.close()
  return { bitmap: canvas.transferToImageBitmap(), original: scale < 1 ? original : undefined }
}

/** The pixels of a bitmap. */
export function pixelsOf(bitmap: ImageBitmap): ImageData {
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', {
    willReadFrequently: true,
  })!
  context.drawImage(bitmap, 0, 0)
  return context.getImageData(0, 0, bitmap.width, bitmap.height)
}

/** Encodes a picture as a PNG file. */
export function toPng(image: ImageData): Promise<Blob> {
  const canvas = new OffscreenCanvas(image.width, image.height)
  canvas.getContext('2d')!.putImageData(image, 0, 0)
  return canvas.convertToBlob({ type: 'image/png' })
}
