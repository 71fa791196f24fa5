/**
 * Restores a picture of any size, one region around its holes after another (plan.ts): known pixels stay as they
 * are, at full resolution; narrow holes are restored at full resolution, wide ones in a reduced picture, which is
 * then enlarged into them.
 */
import { InputError } from '../../base/inputError.ts'
import type { Draft } from '../drafts.ts'
import { emptyData, type Known, type Picture } from '../picture.ts'
import { type RestoreOptions, restore } from '../restore.ts'
import { type Extent, findHoles, type Holes } from './holes.ts'
import { planRegions, type Region, tileWeight } from './plan.ts'
import { mergeEnlarged, reducePicture } from './rescale.ts'

/** A draft of a region. */
export interface RegionDraft extends Draft {
  region: Region
}

/** Options of `restoreRegions`; each has a default. */
export interface RegionOptions extends Omit<RestoreOptions, 'onDraft' | 'replaceKnown'> {
  /**
   * The most work: a tenth of the pixels of all regions plus three times the lost ones, 3 million by default; if
   * there is more, regions are reduced further. The one model of 'plain' always has 640,000 pixels.
   */
  mostWork?: number
  /** Called before a region is restored; a promise is awaited. */
  onRegion?: (region: Region, number: number, regions: readonly Region[]) => void | Promise<void>
  /** Called with better and better pictures of the current region. */
  onDraft?: (draft: RegionDraft) => void | Promise<void>
  /** Called with the picture of a region, in which all holes are filled, also those that other regions fill. */
  onRestored?: (region: Region, picture: Picture) => void | Promise<void>
  /** Restored regions by their content: a region that is in it is not computed again. */
  cache?: Map<string, Picture>
}

/** A restored picture, and its regions. */
export interface RegionRestoration {
  picture: Picture
  regions: readonly Region[]
  /** Whether regions were reduced further than their holes need, by `mostWork`. */
  limited: boolean
  /** Whether the restoration was interrupted; holes that were not reached are then as in the given picture. */
  aborted: boolean
}

/** The most work of all regions. */
const MOST_WORK = 3e6
/** Most pixels of the reduced picture of 'plain'. */
const MOST_PLAIN_PIXELS = 640_000

/**
 * Fills the holes of a picture region by region; throws if nothing is known.
 * @param known 1 where a value is known, 0 in a hole; holes are whole pixels
 */
export async function restoreRegions(
  picture: Picture,
  known: Known,
  options: RegionOptions = {},
): Promise<RegionRestoration> {
  const { mostWork = MOST_WORK, onRegion, onRestored, cache, signal } = options
  if (!known.includes(1))
    throw new InputError('empty', 'Nothing of the picture is known: there is nothing to learn from.')
  const { channels } = picture
  const lost = Uint8Array.from({ length: known.length / channels }, (_, p) => 1 - known[p * channels])
  const holes = findHoles(lost, picture)
  const { regions, factors, limited } =
    options.method === 'plain' ? planWhole(holes, picture) : planRegions(holes, picture, mostWork)
  const data = emptyData(picture)
  data.set(picture.data)
  const result: Picture = { ...picture, data }
  /** State of each pixel: 0 is known, 1 lost, 2 filled by a region of the current factor. */
  const state = lost
  for (const [n, region] of regions.entries()) {
    if (signal?.aborted) break
    await onRegion?.(region, n + 1, regions)
    const part = cropRegion(result, state, region)
    const key = cache && contentKey(part, region, options)
    const restored = (key && cache.get(key)) || (await restoreRegion(part, region, options))
    if (signal?.aborted) break
    if (key) cache.set(key, restored)
    const isOwn = (p: number): boolean => factors[holes.labels[p]] === region.factor
    paste(restored, region, result, state, isOwn)
    await onRestored?.(region, restored)
    // Regions of smaller factors take the filled pixels as known.
    if (regions[n + 1]?.factor !== region.factor)
      for (let p = 0; p < state.length; p++) if (state[p] === 2) state[p] = 0
  }
  return { picture: result, regions, limited, aborted: signal?.aborted ?? false }
}

/** Plans one region of the whole picture, reduced to at most MOST_PLAIN_PIXELS pixels. */
function planWhole(holes: Holes, { width, height }: Extent): ReturnType<typeof planRegions> {
  const factor = Math.ceil(Math.sqrt((width * height) / MOST_PLAIN_PIXELS))
  const lost = holes.pixels.reduce((sum, pixels) => sum + pixels, 0)
  const region = { left: 0, top: 0, width, height, factor, lost }
  const tile = { left: 0, top: 0, right: width, bottom: height }
  return {
    regions: [{ ...region, tile }],
    factors: new Uint8Array(holes.pixels.length).fill(factor),
    limited: false,
  }
}

/** Restores the picture of a region: at full resolution, or reduced and enlarged again. */
async function restoreRegion(
  { picture, known }: { picture: Picture; known: Known },
  region: Region,
  { onDraft, onRegion, onRestored, cache, mostWork, ...options }: RegionOptions,
): Promise<Picture> {
  const { factor } = region
  const small = factor > 1 ? reducePicture(picture, known, factor) : { picture, known }
  const enlarge = (from: Picture, smoothBorders: boolean): Picture =>
    factor > 1 ? mergeEnlarged(picture, known, from, factor, smoothBorders) : from
  if (!small.known.includes(1)) return enlarge(small.picture, true)
  const { picture: restored } = await restore(small.picture, small.known, {
    ...options,
    onDraft:
      onDraft &&
      ((draft) => onDraft({ region, error: draft.error, picture: () => enlarge(draft.picture(), false) })),
  })
  return enlarge(restored, true)
}

/** Cuts a region out of a picture, with its known values: those that are neither lost nor just filled. */
function cropRegion(
  { data, ...picture }: Picture,
  state: Uint8Array,
  { left, top, width, height }: Region,
): { picture: Picture; known: Known } {
  const { channels } = picture
  const part = { ...picture, width, height }
  const cut = emptyData(part)
  const known = new Uint8Array(cut.length)
  for (let y = 0; y < height; y++) {
    const from = (top + y) * picture.width + left
    cut.set(data.subarray(from * channels, (from + width) * channels), y * width * channels)
    for (let x = 0; x < width; x++)
      if (state[from + x] === 0) known.fill(1, (y * width + x) * channels, (y * width + x + 1) * channels)
  }
  return { picture: { ...part, data: cut }, known }
}

/**
 * Writes a restored region into the holes of the picture, in place, and marks them as filled. Where a neighbour
 * was written before, the two are blended.
 * @param isOwn whether the region fills the hole at a pixel
 */
function paste(
  restored: Picture,
  region: Region,
  { data, channels, width, height }: Picture,
  state: Uint8Array,
  isOwn: (p: number) => boolean,
): void {
  const extent: Extent = { width, height }
  for (let y = 0; y < region.height; y++)
    for (let x = 0; x < region.width; x++) {
      const p = (region.top + y) * width + region.left + x
      if (state[p] === 0 || !isOwn(p)) continue
      const weight = tileWeight(region, extent, region.left + x, region.top + y)
      if (weight === 0) continue
      for (let k = 0; k < channels; k++) {
        const value = restored.data[(y * region.width + x) * channels + k]
        const before = data[p * channels + k]
        data[p * channels + k] = state[p] === 1 ? value : Math.round(before + weight * (value - before))
      }
      state[p] = 2
    }
}

/** Returns a key of what the restored region depends on: its known values and the settings. */
function contentKey(
  { picture, known }: { picture: Picture; known: Known },
  { left, top, width, height, factor }: Region,
  { method, rank, lambda, epochs, seed }: RegionOptions,
): string {
  // Two FNV-1a hashes of 32 bits with different starts and multipliers.
  let [one, other] = [0x811c9dc5, 0x9747b28c]
  for (let at = 0; at < known.length; at++) {
    const value = known[at] ? picture.data[at] + 1 : 0
    one = Math.imul(one ^ value, 0x01000193)
    other = Math.imul(other ^ value, 0x85ebca6b)
  }
  return [left, top, width, height, factor, method, rank, lambda, epochs, seed, one, other].join(' ')
}
