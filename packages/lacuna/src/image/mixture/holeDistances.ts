/** Distances of pixels to the nearest hole. */
import type { PatchShape } from './classes.ts'
import type { View } from './views.ts'

/**
 * Returns the distance of each pixel (height × width) to the nearest one with a hole: steps to one of the four
 * neighbours, at most 255.
 */
export function holeDistances(views: readonly View[], width: number, height: number): Uint8Array {
  const distances = new Uint8Array(width * height).fill(255)
  for (const { signals } of views)
    for (const { known } of signals) for (let p = 0; p < known.length; p++) if (!known[p]) distances[p] = 0
  const relax = (p: number, neighbour: number): void => {
    distances[p] = Math.min(distances[p], distances[neighbour] + 1)
  }
  for (let p = 0; p < distances.length; p++) {
    if (p % width > 0) relax(p, p - 1)
    if (p >= width) relax(p, p - width)
  }
  for (let p = distances.length - 1; p >= 0; p--) {
    if (p % width < width - 1) relax(p, p + 1)
    if (p < distances.length - width) relax(p, p + width)
  }
  return distances
}

/**
 * Returns whether the patch at a corner has a hole.
 * @param distances of the picture's pixels to the nearest hole
 * @param width of the picture
 */
export function hasHole(
  distances: Uint8Array,
  corner: number,
  width: number,
  { rows, columns }: PatchShape,
): boolean {
  for (let i = 0; i < rows; i++)
    if (distances.subarray(corner + i * width, corner + i * width + columns).includes(0)) return true
  return false
}
