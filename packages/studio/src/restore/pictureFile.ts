/** Decodes pictures from files, and encodes them as PNG. */

/** The most pixels of a picture, so that a run takes seconds; larger photos are reduced. */
const MOST_PIXELS = 640_000

/** A decoded picture. */
export interface LoadedPicture {
  image: ImageData
  /** Width and height in the file, if the picture was reduced. */
  original?: [number, number]
}

/**
 * Decodes a picture and reduces it to at most MOST_PIXELS pixels; transparent pixels become white. Throws if
 * the browser cannot decode it.
 * @param name the file's name for messages
 * @param maxScale upper bound of the scale factor; 1 (default) never enlarges
 */
export async function loadPicture(file: Blob, name: string, maxScale = 1): Promise<LoadedPicture> {
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`${name} is no picture that this browser can open; drop a JPEG, PNG, WebP or AVIF file.`)
  })
  const scale = Math.min(maxScale, Math.sqrt(MOST_PIXELS / (bitmap.width * bitmap.height)))
  const width = Math.max(1, Math.round(bitmap.width * scale))
  const height = Math.max(1, Math.round(bitmap.height * scale))
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!
  context.fillStyle = '#fff'
  context.fillRect(0, 0, width, height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, width, height)
  const original: [number, number] = [bitmap.width, bitmap.height]
  bitmap.close()
  const image = context.getImageData(0, 0, width, height)
  return scale < 1 ? { image, original } : { image }
}

/** Encodes a picture as a PNG file. */
export function toPng(image: ImageData): Promise<Blob> {
  const canvas = new OffscreenCanvas(image.width, image.height)
  canvas.getContext('2d')!.putImageData(image, 0, 0)
  return canvas.convertToBlob({ type: 'image/png' })
}
