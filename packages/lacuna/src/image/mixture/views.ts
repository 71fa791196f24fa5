/**
 * The known values of a picture as observations of planes: lightness and two colour differences (an
 * orthonormal rotation of red, green and blue), or the one plane of a grey picture. Planes are nearly
 * uncorrelated, so that a model can treat them as independent. They are scaled to variance 1.
 *
 * Where whole pixels are hidden each plane is observed by itself. Where single values are hidden, each known
 * value is an observation of a weighted sum of the planes.
 */
import type { Size } from '../patches.ts'

/** Rotation of red, green and blue to planes: row c holds the weights of plane c. */
const ROTATION = [
  [Math.sqrt(1 / 3), Math.sqrt(1 / 3), Math.sqrt(1 / 3)],
  [Math.sqrt(1 / 2), 0, -Math.sqrt(1 / 2)],
  [Math.sqrt(1 / 6), -2 * Math.sqrt(1 / 6), Math.sqrt(1 / 6)],
]
/** Smallest variance of a plane: a grey picture in three channels has planes without any. */
const LEAST_VARIANCE = 1e-8
/** Pixels with two known channels that their covariance needs; with fewer they count as correlated. */
const LEAST_PAIRS = 30

/** Values observed at pixels: a weighted sum of planes, plus noise. */
export interface Signal {
  /** Values around 0 (height × width); of no meaning where they are not known. */
  values: Float32Array
  /** 1 where a value is known (height × width). */
  known: Uint8Array
  /** Weight of each plane. */
  weights: number[]
}

/** Planes that are observed by the same signals, and by no others. */
export interface View {
  /** Numbers of the planes. */
  planes: number[]
  /** The signals that observe them. */
  signals: Signal[]
}

/** A picture as views of its planes. */
export interface Views {
  width: number
  height: number
  /** The views; the first one shows the lightness. */
  views: View[]
  /** Returns the values (pixels × channels) of some rows of planes (pixels each) of variance 1. */
  toPicture(planes: readonly Float32Array[]): Float32Array
}

/**
 * Returns the known values of a picture as views of its planes.
 * @param values (height × width × channels)
 * @param known 1 where a value is known
 */
export function makeViews(values: Float32Array, known: Uint8Array, size: Size): Views {
  const { width, height, channels } = size
  const rotation = channels === 3 ? ROTATION : [[1]]
  const indices = Array.from({ length: channels }, (_, k) => k)
  const flags = indices.map((k) => takeChannel(known, k, channels))
  const means = indices.map((k) => meanOfKnown(values, known, k, channels))
  const centred = indices.map((k) => takeChannel(values, k, channels).map((x) => x - means[k]))
  const covariance = channelCovariance(centred, flags)
  const deviations = rotation.map((row) => {
    let variance = 0
    for (const k of indices) for (const l of indices) variance += row[k] * row[l] * covariance[k][l]
    return Math.sqrt(Math.max(LEAST_VARIANCE, variance))
  })
  const wholePixels = flags.every((of) => of.every((is, p) => is === flags[0][p]))
  const views: View[] = wholePixels
    ? rotation.map((row, c) => {
        const plane = centred[0].map((_, p) =>
          row.reduce((sum, weight, k) => sum + weight * centred[k][p], 0),
        )
        const weights = indices.map((k) => (k === c ? deviations[c] : 0))
        return { planes: [c], signals: [{ values: plane, known: flags[0], weights }] }
      })
    : [
        {
          planes: indices,
          signals: indices.map((k) => ({
            ...{ values: centred[k], known: flags[k] },
            weights: rotation.map((row, c) => row[k] * deviations[c]),
          })),
        },
      ]
  const toPicture = (planes: readonly Float32Array[]): Float32Array => {
    const picture = new Float32Array(planes[0].length * channels)
    for (let p = 0, at = 0; at < picture.length; p++)
      for (const k of indices) {
        let value = means[k]
        for (const c of indices) value += rotation[c][k] * deviations[c] * planes[c][p]
        picture[at++] = value
      }
    return picture
  }
  return { width, height, views, toPicture }
}

/** Returns one channel of interleaved values. */
function takeChannel<T extends Float32Array | Uint8Array>(values: T, k: number, channels: number): T {
  return values.filter((_, at) => at % channels === k) as T
}

/** Returns the mean of the known values of channel k; 0 if there is none. */
function meanOfKnown(values: Float32Array, known: Uint8Array, k: number, channels: number): number {
  let [sum, count] = [0, 0]
  for (let at = k; at < values.length; at += channels)
    if (known[at]) {
      sum += values[at]
      count++
    }
  return count > 0 ? sum / count : 0
}

/** Returns the covariances of channels (channels × channels), each from the pixels where both are known. */
function channelCovariance(centred: Float32Array[], flags: Uint8Array[]): number[][] {
  const pairs = centred.map((x, k) =>
    centred.map((y, l) => {
      let [sum, count] = [0, 0]
      for (let p = 0; p < x.length; p++)
        if (flags[k][p] && flags[l][p]) {
          sum += x[p] * y[p]
          count++
        }
      return { covariance: sum / Math.max(1, count), count }
    }),
  )
  return pairs.map((row, k) =>
    row.map(({ covariance, count }, l) => {
      const uncorrelatedLimit = Math.sqrt(pairs[k][k].covariance * pairs[l][l].covariance)
      return k === l || count >= LEAST_PAIRS ? covariance : 0.9 * uncorrelatedLimit
    }),
  )
}
