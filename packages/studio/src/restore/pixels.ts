/** Between the canvas' pictures, with alpha, and Lacuna's, without. */
import type { Known, Picture } from 'lacuna/image'
import type { Mask } from './damage.ts'

const CHANNELS = 3

export function pictureOf({ width, height, data }: ImageData): Picture {
  const values = new Uint8Array(width * height * CHANNELS)
  for (let p = 0, at = 0; at < values.length; p += 4) {
    values[at++] = data[p]
    values[at++] = data[p + 1]
    values[at++] = data[p + 2]
  }
  return { width, height, channels: CHANNELS, maximum: 255, data: values }
}

export function imageOf({ width, height, data }: Picture): ImageData {
  const image = new ImageData(width, height)
  for (let p = 0, at = 0; at < data.length; p += 4) {
    image.data[p] = data[at++]
    image.data[p + 1] = data[at++]
    image.data[p + 2] = data[at++]
    image.data[p + 3] = 255
  }
  return image
}

export function knownOf(mask: Mask): Known {
  const known = new Uint8Array(mask.length * CHANNELS)
  for (let p = 0; p < mask.length; p++) if (!mask[p]) known.fill(1, p * CHANNELS, (p + 1) * CHANNELS)
  return known
}
