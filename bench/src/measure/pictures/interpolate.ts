/** Linear interpolation on Delaunay triangles of the known pixels, which restored pictures are compared with. */
import Delaunator from 'delaunator'
import type { Known, Picture } from 'lacuna/image'

/**
 * Fills holes linearly within Delaunay triangles, and beyond the outermost known pixels by the nearest known one.
 * @param known per value; all channels of a pixel are known, or none
 */
export function interpolateLinearly(picture: Picture, known: Known): Picture {
  const { width, height, channels } = picture
  const pixels = Uint32Array.from({ length: width * height }, (_, pixel) => pixel)
  const given = pixels.filter((pixel) => known[pixel * channels] === 1)
  const { triangles } = Delaunator.from(
    Array.from(given),
    (pixel) => pixel % width,
    (pixel) => Math.floor(pixel / width),
  )
  const data = picture.data.slice()
  const isFilled = Uint8Array.from(pixels, (pixel) => known[pixel * channels])
  for (let t = 0; t < triangles.length; t += 3)
    fillTriangle(picture, data, isFilled, [
      given[triangles[t]],
      given[triangles[t + 1]],
      given[triangles[t + 2]],
    ])
  for (const pixel of pixels) {
    if (isFilled[pixel]) continue
    const nearest = nearestOf(given, pixel, width)
    for (let k = 0; k < channels; k++) data[pixel * channels + k] = picture.data[nearest * channels + k]
  }
  return { ...picture, data }
}

/** Fills the pixels of a triangle that are not filled yet. @param corners three known pixels */
function fillTriangle(
  { width, channels, data: values }: Picture,
  data: Picture['data'],
  isFilled: Uint8Array,
  corners: [number, number, number],
): void {
  const [ax, bx, cx] = corners.map((pixel) => pixel % width)
  const [ay, by, cy] = corners.map((pixel) => Math.floor(pixel / width))
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
  if (area === 0) return
  for (let y = Math.min(ay, by, cy); y <= Math.max(ay, by, cy); y++)
    for (let x = Math.min(ax, bx, cx); x <= Math.max(ax, bx, cx); x++) {
      const pixel = y * width + x
      if (isFilled[pixel]) continue
      // Barycentric coordinates; corners are whole numbers, so that pixels on an edge have exactly 0.
      const b = ((x - ax) * (cy - ay) - (cx - ax) * (y - ay)) / area
      const c = ((bx - ax) * (y - ay) - (x - ax) * (by - ay)) / area
      const weights = [1 - b - c, b, c]
      if (b < 0 || c < 0 || b + c > 1) continue
      isFilled[pixel] = 1
      for (let k = 0; k < channels; k++)
        data[pixel * channels + k] = Math.round(
          corners.reduce((sum, corner, i) => sum + weights[i] * values[corner * channels + k], 0),
        )
    }
}

/** Returns the known pixel that is nearest to another. */
function nearestOf(given: Uint32Array, pixel: number, width: number): number {
  const [x, y] = [pixel % width, Math.floor(pixel / width)]
  let [nearest, least] = [given[0], Infinity]
  for (const other of given) {
    const distance = ((other % width) - x) ** 2 + (Math.floor(other / width) - y) ** 2
    if (distance < least) [nearest, least] = [other, distance]
  }
  return nearest
}
