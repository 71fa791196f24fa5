/**
 * The worker that draws: it decodes the picture, draws the masks of its damage, and makes the files that are saved.
 * It works on one picture at a time, which is module state.
 */
import { deepestFillable, findHoles } from 'lacuna/internal'
import { serveCalls } from '../../run/remote.ts'
import { colourHoles, countLost, type Mask, maskImage, readMask, type Size } from '../damage.ts'
import { type Damage, damageDrawer } from '../edits/index.ts'
import { loadPicture, pixelsOf } from '../pictureFile.ts'
import { animateBeforeAfter, drawBeforeAfter } from '../share/index.ts'

/** The opened picture. */
interface Opened {
  bitmap: ImageBitmap
  pixels: ImageData
  size: Size
  /** Its size in the file. */
  original: Size
  draw(damage: Damage): Mask
  /** The pixels that are lost, those among them that are restored, and those that are in holes too large for it. */
  lost: Mask
  restored?: Mask
  tooLarge?: Mask
}

/** A picture as the page gets it. */
export interface OpenedBitmap {
  bitmap: ImageBitmap
  width: number
  height: number
  /** Width and height in the file, if it was reduced. */
  original?: Size
}

/** Holes that are too large to be restored. */
export interface LargeHoles {
  number: number
  /** The largest distance of a lost pixel to a known one, and the largest that can be restored. */
  deepest: number
  limit: number
  /** Whether there are other holes, which can be restored. */
  others: boolean
}

/** Drawn damage. */
export interface DrawnDamage {
  /** The picture, its lost pixels in the colour of holes. */
  damaged: ImageBitmap
  /** If there is a result: the same, transparent where pixels are restored. */
  overlay?: ImageBitmap
  /** Fractions of the picture. */
  lost: number
  restored: number
  toRestore: number
  tooLarge?: LargeHoles
}

let opened: Opened
/** The number of the last call of `open`: of pictures that are decoded at the same time, the last one stays. */
let lastOpen = 0

/** The functions that the page calls by name (run/remote.ts). */
const functions = {
  /** Opens a picture, without damage, unless another one is opened while it is decoded. */
  async open(file: Blob, name: string): Promise<OpenedBitmap> {
    const number = ++lastOpen
    const { bitmap, original } = await loadPicture(file, name)
    const size: Size = [bitmap.width, bitmap.height]
    if (number !== lastOpen) return { bitmap, width: size[0], height: size[1], original }
    opened = {
      ...{ bitmap, pixels: pixelsOf(bitmap), size, original: original ?? size, draw: damageDrawer(size) },
      lost: new Uint8Array(size[0] * size[1]),
    }
    return { bitmap: await createImageBitmap(bitmap), width: size[0], height: size[1], original }
  },

  /**
   * Draws damage. Restored pixels that are no longer lost are known again.
   * @param colour of holes: red, green and blue
   * @param keepRestored whether pixels stay restored; otherwise the result is dropped
   */
  async draw(damage: Damage, colour: readonly number[], keepRestored: boolean): Promise<DrawnDamage> {
    const { size } = opened
    const lost = opened.draw(damage)
    const before = keepRestored ? opened.restored : undefined
    const restored = before?.map((is, p) => is & lost[p])
    const pending = restored ? lost.map((is, p) => is & (1 - restored[p])) : lost
    const { large, holes } = findLarge(damage.kind === 'pixels' ? undefined : pending, size)
    opened = { ...opened, lost, restored, tooLarge: large }
    const toRestore = large ? pending.map((is, p) => is & (1 - large[p])) : pending
    const pixels = lost.length
    return {
      damaged: await createImageBitmap(colourHoles(opened.pixels, lost, colour)),
      overlay: restored && (await createImageBitmap(colourHoles(opened.pixels, lost, colour, restored))),
      lost: countLost(lost) / pixels,
      restored: restored ? countLost(restored) / pixels : 0,
      toRestore: countLost(toRestore) / pixels,
      tooLarge: holes && { ...holes, others: toRestore.includes(1) },
    }
  },

  /** Reads a mask file; throws if it does not have the picture's size. */
  readMask: (file: Blob, name: string): Promise<Mask> => readMask(file, name, opened.size, opened.original),

  /** Returns the pixels to restore: all lost ones but those in holes that are too large. */
  maskToRestore: (): Mask => restorable(opened),

  /** Marks the pixels that can be restored as restored. */
  setRestored(): void {
    opened.restored = restorable(opened)
  },

  /**
   * Makes a file of the restored picture.
   * @param filled the restored pixels, transparent elsewhere
   * @param what the picture, or before and after as one picture or as an animation
   */
  async makeFile(filled: Blob, what: 'picture' | 'before-after' | 'animation'): Promise<Blob> {
    const { bitmap, size, lost } = opened
    const restored = new OffscreenCanvas(...size)
    const context = restored.getContext('2d')!
    context.drawImage(await createImageBitmap(filled), 0, 0)
    // Pixels that are no longer lost are those of the picture again.
    context.globalCompositeOperation = 'destination-in'
    context.drawImage(await createImageBitmap(maskImage(lost, size, HOLE)), 0, 0)
    context.globalCompositeOperation = 'destination-over'
    context.drawImage(bitmap, 0, 0)
    if (what === 'picture') return restored.convertToBlob({ type: 'image/png' })
    const damaged = new OffscreenCanvas(...size)
    damaged.getContext('2d')!.putImageData(colourHoles(opened.pixels, lost, HOLE), 0, 0)
    return what === 'animation' ? animateBeforeAfter(damaged, restored) : drawBeforeAfter(damaged, restored)
  },

  /** Makes a PNG file of the lost pixels, white on black, for the command line. */
  async makeMask(): Promise<Blob> {
    const { size, lost } = opened
    const canvas = new OffscreenCanvas(...size)
    const context = canvas.getContext('2d')!
    context.fillRect(0, 0, ...size)
    context.drawImage(await createImageBitmap(maskImage(lost, size, [255, 255, 255])), 0, 0)
    return canvas.convertToBlob({ type: 'image/png' })
  },
}

/** Returns the lost pixels but those in holes that are too large. */
function restorable({ lost, tooLarge }: Opened): Mask {
  return tooLarge ? lost.map((is, p) => is & (1 - tooLarge[p])) : lost.slice()
}

/** The colour of holes in files. */
const HOLE = [217, 214, 207]

/** The functions that the page can call. */
export type PictureFunctions = typeof functions

/** Finds holes that are too large to be restored, and measures them. */
function findLarge(
  pending: Mask | undefined,
  [width, height]: Size,
): { large?: Mask; holes?: Omit<LargeHoles, 'others'> } {
  if (!pending?.includes(1)) return {}
  const limit = deepestFillable({ width, height })
  const { labels, deepest } = findHoles(pending, { width, height })
  const large = deepest.filter((depth) => depth > limit)
  if (large.length === 0) return {}
  return {
    large: Uint8Array.from(labels, (label) => (deepest[label] > limit ? 1 : 0)),
    holes: { number: large.length, deepest: Math.round(Math.max(...large)), limit: Math.floor(limit) },
  }
}

serveCalls(functions)
