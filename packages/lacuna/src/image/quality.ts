import type { Known, Picture } from './picture.ts'

/** How close a picture is to another. */
export interface Quality {
  /** ‖x − y‖ / ‖x‖ over the values compared. */
  relative: number
  /** 10 log₁₀(white² / mean squared error), in decibels; Infinity for equal pictures. */
  psnr: number
  /** How many values were compared. */
  values: number
}

/** How close a picture is to the truth where values were hidden; everywhere without `known`. */
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
