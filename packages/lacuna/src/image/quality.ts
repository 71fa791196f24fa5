/** How close a restored picture is to the truth. */
import type { Known, Picture } from './picture.ts'

/** Errors of a picture against another one. */
export interface Quality {
  /** Relative error ‖x − y‖ / ‖x‖ over the values compared. */
  relative: number
  /**
   * Peak signal-to-noise ratio 10 log₁₀(white² / mean squared error), in decibels; Infinity for equal
   * pictures.
   */
  psnr: number
  /** Number of values compared. */
  values: number
}

/**
 * Compares a restored picture with the truth; pictures of 8 and 16 bits a value can be compared.
 * @param known ones at values that are left out of the comparison; by default all are compared
 */
export function quality(truth: Picture, restored: Picture, known?: Known): Quality {
  const scale = truth.maximum / restored.maximum
  let [squares, norm2, values] = [0, 0, 0]
  for (let at = 0; at < truth.data.length; at++) {
    if (known?.[at]) continue
    squares += (truth.data[at] - scale * restored.data[at]) ** 2
    norm2 += truth.data[at] ** 2
    values++
  }
  return {
    relative: norm2 > 0 ? Math.sqrt(squares / norm2) : squares > 0 ? 1 : 0,
    psnr: squares > 0 ? 10 * Math.log10((truth.maximum ** 2 * values) / squares) : Infinity,
    values,
  }
}
