/** The connected holes of a picture, and how deep they are: the distance from their middle to known pixels. */

/** Width and height in pixels. */
export interface Extent {
  width: number
  height: number
}

/** The connected holes of a picture, each with a number from 1. */
export interface Holes {
  /** The number of the hole at each pixel (height × width); 0 at known pixels. */
  labels: Int32Array
  /** Three times the distance of each pixel to the nearest known one (height × width). */
  depths: Uint16Array
  /** Pixels of each hole; element 0 is not used. */
  pixels: number[]
  /** The mean depth of each hole. */
  meanDepth: number[]
  /** The largest depth of each hole. */
  deepest: number[]
}

/** A hole is too large if its middle is farther from known pixels than this fraction of √(width · height). */
const MOST_DEPTH_FRACTION = 0.05
/** Three times the length of a step to a neighbour along an axis, and of a diagonal one; the largest distance. */
const STEP = 3
const DIAGONAL = 4
const MOST = 65_000
/** Holes of this depth in pixels are never too large: they fit into a patch. */
const LEAST_LIMIT = 8

/**
 * Returns the largest depth, in pixels, of a hole that can be filled with more than a smooth surface
 * (docs/images.md has the measurements).
 */
export function deepestFillable({ width, height }: Extent): number {
  return Math.max(LEAST_LIMIT, MOST_DEPTH_FRACTION * Math.sqrt(width * height))
}

/** Finds the connected holes of a picture. @param lost 1 where a pixel is lost (height × width) */
export function findHoles(lost: Uint8Array, extent: Extent): Holes {
  const depths = measureDepths(lost, extent)
  const labels = new Int32Array(lost.length)
  const holes: Holes = { labels, depths, pixels: [0], meanDepth: [0], deepest: [0] }
  const queue: number[] = []
  for (let start = lost.indexOf(1); start >= 0; start = lost.indexOf(1, start + 1)) {
    if (labels[start]) continue
    const label = holes.pixels.length
    let [pixels, sum, deepest] = [0, 0, 0]
    labels[start] = label
    queue.push(start)
    while (queue.length > 0) {
      const p = queue.pop()!
      pixels++
      sum += depths[p]
      deepest = Math.max(deepest, depths[p])
      const column = p % extent.width
      if (column > 0) visit(p - 1)
      if (column < extent.width - 1) visit(p + 1)
      if (p >= extent.width) visit(p - extent.width)
      if (p < lost.length - extent.width) visit(p + extent.width)
    }
    holes.pixels.push(pixels)
    holes.meanDepth.push(sum / pixels / STEP)
    holes.deepest.push(deepest / STEP)
    /** Adds a lost pixel that has no label to the hole. */
    function visit(p: number): void {
      if (!lost[p] || labels[p]) return
      labels[p] = label
      queue.push(p)
    }
  }
  return holes
}

/**
 * Returns three times the distance of each pixel to the nearest known one, at most MOST, by two passes (chamfer
 * distance, Borgefors 1986): a step along an axis counts 3, a diagonal one 4.
 */
function measureDepths(lost: Uint8Array, { width }: Extent): Uint16Array {
  const depths = new Uint16Array(lost.length)
  const at = (p: number, inside: boolean): number =>
    inside && p >= 0 && p < depths.length ? depths[p] : MOST
  for (let p = 0; p < lost.length; p++) {
    if (!lost[p]) continue
    const [left, right] = [p % width > 0, p % width < width - 1]
    depths[p] = Math.min(
      MOST,
      at(p - 1, left) + STEP,
      at(p - width, true) + STEP,
      at(p - width - 1, left) + DIAGONAL,
      at(p - width + 1, right) + DIAGONAL,
    )
  }
  for (let p = lost.length - 1; p >= 0; p--) {
    if (!lost[p]) continue
    const [left, right] = [p % width > 0, p % width < width - 1]
    depths[p] = Math.min(
      depths[p],
      at(p + 1, right) + STEP,
      at(p + width, true) + STEP,
      at(p + width + 1, right) + DIAGONAL,
      at(p + width - 1, left) + DIAGONAL,
    )
  }
  return depths
}

/** Returns which pixels belong to a hole that is too large to be filled (height × width), or undefined. */
export function tooLargeHoles(lost: Uint8Array, extent: Extent): Uint8Array<ArrayBuffer> | undefined {
  const limit = deepestFillable(extent)
  const { labels, deepest } = findHoles(lost, extent)
  if (!deepest.some((depth) => depth > limit)) return undefined
  return Uint8Array.from(labels, (label) => (deepest[label] > limit ? 1 : 0))
}
