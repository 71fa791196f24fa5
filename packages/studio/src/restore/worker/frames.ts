/** Frames of a run: the restored pixels of a region as an image, and their quality. */
import type { Known, Picture } from 'lacuna/image'
import { quality } from 'lacuna/image'

/** A part of a picture. */
export interface Part {
  left: number
  top: number
  width: number
  height: number
}

/**
 * An image of the filled pixels of a picture, transparent elsewhere.
 * @param isFilled whether the pixel p of the picture is filled
 * @param part of the picture; all of it by default
 */
export function filledImage(
  { width: stride, height: rows, data }: Picture,
  isFilled: (p: number) => boolean,
  { left, top, width, height }: Part = { left: 0, top: 0, width: stride, height: rows },
): ImageData {
  const image = new ImageData(width, height)
  for (let y = 0, to = 0; y < height; y++)
    for (let x = 0; x < width; x++, to += 4) {
      const p = (top + y) * stride + left + x
      if (!isFilled(p)) continue
      image.data[to] = data[3 * p]
      image.data[to + 1] = data[3 * p + 1]
      image.data[to + 2] = data[3 * p + 2]
      image.data[to + 3] = 255
    }
  return image
}

/** The quality of a picture that is restored part by part. Lost pixels that are not restored count as grey. */
export class QualityMeter {
  readonly #original: Picture
  readonly #known: Known
  readonly #shown: Uint8Array
  #squares = 0
  readonly #values: number

  /** Starts with nothing restored. */
  constructor(original: Picture, known: Known) {
    this.#original = original
    this.#known = known
    this.#shown = Uint8Array.from(original.data, (value, at) => (known[at] ? value : 128))
    let values = 0
    for (let at = 0; at < known.length; at++)
      if (!known[at]) {
        values++
        this.#squares += (original.data[at] - 128) ** 2
      }
    this.#values = values
  }

  /**
   * Takes the lost values in a part of the picture from another picture.
   * @param from the picture of a region whose corner is at (left, top)
   * @returns the peak signal-to-noise ratio of all lost values
   */
  update(part: Part, from: Picture, [left, top]: readonly [number, number]): number {
    const { width, channels, data } = this.#original
    for (let y = part.top; y < part.top + part.height; y++)
      for (let x = part.left; x < part.left + part.width; x++) {
        const first = (y * width + x) * channels
        if (this.#known[first]) continue
        const given = ((y - top) * from.width + x - left) * channels
        for (let k = 0; k < channels; k++) {
          const truth = data[first + k]
          this.#squares += (from.data[given + k] - truth) ** 2 - (this.#shown[first + k] - truth) ** 2
          this.#shown[first + k] = from.data[given + k]
        }
      }
    return 10 * Math.log10((255 ** 2 * this.#values) / Math.max(1e-9, this.#squares))
  }

  /** The peak signal-to-noise ratio of the lost values of a whole picture. */
  exact(restored: Picture): number {
    return quality(this.#original, restored, this.#known).psnr
  }
}
