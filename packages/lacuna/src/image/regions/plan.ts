/**
 * The regions of a picture that are restored one after another. A patch of 10 to 16 pixels cannot continue an
 * edge across a hole that is wider than the patch: wide holes are restored in a reduced picture, narrow ones at full
 * resolution. The picture is divided into tiles, so that memory does not grow with it, and each region is the part
 * of a tile around its holes.
 */
import type { Extent, Holes } from './holes.ts'

/** A part of a picture that is restored by itself. */
export interface Region extends Extent {
  /** The first column. */
  left: number
  /** The first row. */
  top: number
  /** The picture is reduced by this factor, a power of two; 1 is full resolution. */
  factor: number
  /** Pixels of the holes that it fills. */
  lost: number
  /** The tile: borders between which the region's values count, in pixels of the picture. */
  tile: { left: number; top: number; right: number; bottom: number }
}

/** Twice the mean depth of the holes in pixels, above which they are restored in a reduced picture. */
const MOST_DEPTH = 7
/** The edge of tiles in pixels of the reduced picture, and the most in pixels of the picture. */
const TILE = { edge: 640, most: 2048 }
/** Known pixels around holes, in pixels of the reduced picture, and the least edge of a region. */
const MARGIN = 48
const LEAST_EDGE = 256
/** Half the width of the zone in which neighbouring tiles are blended, in pixels of the reduced picture. */
export const FADE = 8
/** The largest factor. */
const MOST_FACTOR = 16
/** The work of a region in pixels of its reduced picture: learning and smoothing take all, patches those of holes. */
const WORK = { perPixel: 0.1, perLostPixel: 3 }

/** Returns the factor of each hole, by its number: the least that makes it narrow enough. */
export function chooseFactors({ meanDepth }: Holes, least = 1): Uint8Array {
  return Uint8Array.from(meanDepth, (depth) => {
    let factor = least
    while (factor < MOST_FACTOR && (2 * depth) / factor > MOST_DEPTH) factor *= 2
    return factor
  })
}

/**
 * Returns the regions of a picture, those of the largest factor first, the factor of each hole, and whether factors
 * were doubled.
 * @param mostWork the most work of all regions together, in pixels; if there is more, small factors are doubled
 */
export function planRegions(
  holes: Holes,
  extent: Extent,
  mostWork: number,
): { regions: Region[]; factors: Uint8Array; limited: boolean } {
  for (let least = 1; ; least *= 2) {
    const factors = chooseFactors(holes, least)
    const levels = [...new Set(factors.subarray(1))].sort((a, b) => b - a)
    const regions = levels.flatMap((factor) => regionsOf(holes, extent, factors, factor))
    const work = regions.reduce((sum, region) => sum + workOf(region), 0)
    if (work <= mostWork || least >= MOST_FACTOR) return { regions, factors, limited: least > 1 }
  }
}

/** Returns the work of a region, in pixels. */
const workOf = ({ width, height, lost, factor }: Region): number =>
  (WORK.perPixel * width * height + WORK.perLostPixel * lost) / factor ** 2

/** Returns the regions around the holes of one factor. */
function regionsOf(holes: Holes, extent: Extent, factors: Uint8Array, factor: number): Region[] {
  const edge = Math.min(TILE.edge * factor, TILE.most)
  const borders = (length: number): number[] => {
    const parts = Math.max(1, Math.round(length / edge))
    return Array.from({ length: parts + 1 }, (_, n) => Math.round((n * length) / parts))
  }
  const [rows, columns] = [borders(extent.height), borders(extent.width)]
  const regions: Region[] = []
  for (let a = 0; a + 1 < rows.length; a++)
    for (let b = 0; b + 1 < columns.length; b++) {
      const tile = { left: columns[b], top: rows[a], right: columns[b + 1], bottom: rows[a + 1] }
      const box = boundingBox(holes, extent, factors, factor, tile)
      if (box) regions.push({ ...box, factor, tile })
    }
  return regions
}

/**
 * Returns the smallest box around the holes of a factor in a tile and its blending zone, widened by known pixels, and the
 * number of hidden pixels in it (`lost`); undefined if there are none.
 */
function boundingBox(
  { labels }: Holes,
  { width, height }: Extent,
  factors: Uint8Array,
  factor: number,
  tile: Region['tile'],
): Pick<Region, 'left' | 'top' | 'width' | 'height' | 'lost'> | undefined {
  const fade = FADE * factor
  let [left, top, right, bottom] = [width, height, -1, -1]
  let lost = 0
  for (let y = Math.max(0, tile.top - fade); y < Math.min(height, tile.bottom + fade); y++)
    for (let x = Math.max(0, tile.left - fade); x < Math.min(width, tile.right + fade); x++) {
      const label = labels[y * width + x]
      if (label === 0 || factors[label] !== factor) continue
      lost++
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y)
    }
  if (right < 0) return undefined
  const [x, w] = widen(left, right + 1, width, factor)
  const [y, h] = widen(top, bottom + 1, height, factor)
  return { left: x, top: y, width: w, height: h, lost }
}

/** Returns start and length of an interval with known pixels around it, within 0 … length. */
function widen(from: number, to: number, length: number, factor: number): [number, number] {
  const missing = Math.max(0, LEAST_EDGE * factor - (to - from))
  const margin = Math.max(MARGIN * factor, Math.ceil(missing / 2))
  const start = Math.max(0, Math.min(from - margin, length - LEAST_EDGE * factor))
  const end = Math.min(length, Math.max(to + margin, start + LEAST_EDGE * factor))
  return [start, end - start]
}

/** Returns the weight of a region at a pixel against its neighbours: 1 within its tile, 0 beyond the blending zone. */
export function tileWeight({ tile, factor }: Region, extent: Extent, x: number, y: number): number {
  const fade = FADE * factor
  const ramp = (position: number, from: number, to: number, length: number): number => {
    const begin = from === 0 ? 1 : (position + 0.5 - from + fade) / (2 * fade)
    const end = to === length ? 1 : (to + fade - position - 0.5) / (2 * fade)
    return Math.min(1, Math.max(0, Math.min(begin, end)))
  }
  return ramp(x, tile.left, tile.right, extent.width) * ramp(y, tile.top, tile.bottom, extent.height)
}
