/** Restores damaged pictures, and measures quality and processor time beside interpolation and another build. */
import { type Known, type Picture, quality, restore } from 'lacuna/image'
import { interpolateLinearly } from './interpolate.ts'

/** Restores a picture; `restore` of this or another build of the library. */
export type Restore = (
  picture: Picture,
  known: Known,
  options: { threads: number },
) => Promise<{ picture: Picture; modelShare: number }>

/** The result of one restoration. */
export interface Restored {
  /** PSNR of the hidden pixels in dB. */
  psnr: number
  /** Seconds of processor time on all threads. */
  processor: number
  /** Seconds that passed. */
  seconds: number
  /** Mean blend weight of the CP model. */
  modelWeight: number
}

/** The measurements of one picture with one kind of damage. */
export interface PictureResult {
  /** Fraction of the pixels that are hidden. */
  hidden: number
  /** PSNR of linear interpolation. */
  linear: number
  now: Restored
  /** The restoration by another build, if one is compared. */
  before?: Restored
}

/** Measures one damage of a picture. @param before `restore` of another build */
export async function measurePicture(
  picture: Picture,
  known: Known,
  { threads, before }: { threads: number; before?: Restore },
): Promise<PictureResult> {
  const damaged = { ...picture, data: picture.data.map((value, at) => value * known[at]) }
  return {
    hidden: known.reduce((count, isKnown) => count + 1 - isKnown, 0) / known.length,
    linear: quality(picture, interpolateLinearly(damaged, known), known).psnr,
    before: before && (await timeRestore(before, damaged, picture, known, threads)),
    now: await timeRestore(restore, damaged, picture, known, threads),
  }
}

/** Restores a picture, and measures it. */
async function timeRestore(
  run: Restore,
  damaged: Picture,
  truth: Picture,
  known: Known,
  threads: number,
): Promise<Restored> {
  const [used, start] = [process.cpuUsage(), performance.now()]
  const { picture, modelShare } = await run(damaged, known, { threads })
  const { user, system } = process.cpuUsage(used)
  return {
    psnr: quality(truth, picture, known).psnr,
    processor: (user + system) / 1e6,
    seconds: (performance.now() - start) / 1000,
    modelWeight: modelShare,
  }
}

/** Cuts the middle out of a picture, where it is larger. */
export function cropMiddle(picture: Picture, [width, height]: readonly [number, number]): Picture {
  const { channels, data } = picture
  const size = { width: Math.min(width, picture.width), height: Math.min(height, picture.height) }
  const left = (picture.width - size.width) >> 1
  const top = (picture.height - size.height) >> 1
  const cropped = data.slice(0, size.width * size.height * channels)
  for (let y = 0; y < size.height; y++) {
    const from = ((top + y) * picture.width + left) * channels
    cropped.set(data.subarray(from, from + size.width * channels), y * size.width * channels)
  }
  return { ...picture, ...size, data: cropped }
}
