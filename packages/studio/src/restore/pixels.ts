/** Conversions between ImageData, which has an alpha channel, and the library's pictures, which have none. */
import type { Known, Picture } from 'lacuna/image'
import type { Mask } from './damage.ts'

/** Values per pixel of the library's pictures: red, green, blue. */
const CHANNELS = 3

/** A picture of the library from an ImageData, without alpha. */
export function toPicture({ width, height, data }: ImageData): Picture {
  const values = new Uint8Array(width * height * CHANNELS)
  for (let p = 0, at = 0; at < values.length; p += 4) {
    values[at++] = data[p]
    values[at++] = data[p + 1]
    values[at++] = data[p + 2]
  }
  return { width, height, channels: CHANNELS, maximum: 255, data: values }
}

/** An opaque ImageData from a picture of the library. */
export function toImageData({ width, height, data }: Picture): ImageData {
  const image = new ImageData(width, height)
  for (let p = 0, at = 0; at < data.length; p += 4) {
    image.data[p] = data[at++]
    image.data[p + 1] = data[at++]
    image.data[p + 2] = data[at++]
    image.data[p + 3] = 255
  }
  return image
}

/** The library's flags of known values from a mask: 1 for every channel of a pixel that is not lost. */
export function toKnown(mask: Mask): Known {
  const known = new Uint8Array(mask.length * CHANNELS)
  for (let p = 0; p < mask.length; p++) if (!mask[p]) known.fill(1, p * CHANNELS, (p + 1) * CHANNELS)
  return known
}
