/**
 * The classes of a mixture of Gaussians over patches, as learning starts with them: three isotropic ones
 * (smooth, flat and textured), and edges of high and low contrast in each of eight directions. A covariance is a constant
 * (the patch has any mean) plus a term that falls exponentially with the distance of two pixels, a distance
 * that is shorter along the edge than across it.
 */
import type { Signal, Views } from './views.ts'

/** A Gaussian over patches: mean 0, and a covariance for each kind of plane. */
export interface PatchClass {
  /** Logarithm of the fraction of patches that belong to it. */
  logFraction: number
  /** Covariances (pixels × pixels) of lightness and of colour differences, in this order. */
  covariances: Float64Array[]
}

/** Shape of the patches: their pixels lie row by row. */
export interface PatchShape {
  rows: number
  columns: number
}

/** Covariances that differ from class to class: amplitude and length (in pixels) of the decaying term. */
interface Texture {
  /** Relative to the picture's roughness. */
  amplitude: number
  length: number
  /** Factor by which distances shrink along the edge; 1 for none. */
  stretch: number
  /** Factor by which distances grow across the edge. */
  squeeze: number
  /** Whether patches have a derivative (Matérn covariance, ν = 3/2). */
  smooth?: boolean
}

const DIRECTIONS = 8
const ISOTROPIC: Texture[] = [
  { amplitude: 3, length: 5, stretch: 1, squeeze: 1, smooth: true },
  { amplitude: 0.45, length: 12, stretch: 1, squeeze: 1 },
  { amplitude: 3, length: 4, stretch: 1, squeeze: 1 },
]
const EDGES: Texture[] = [
  { amplitude: 4.5, length: 4, stretch: 5, squeeze: 1.5 },
  { amplitude: 1.2, length: 4, stretch: 3, squeeze: 1.5 },
]
/** Distances of the pairs of pixels whose differences measure roughness: [down, right]. */
const LAGS = [
  [0, 2],
  [0, 3],
  [2, 0],
  [3, 0],
  [2, 2],
]

/** Returns the kind of plane c: 0 is lightness, 1 a colour difference. Planes of a kind share covariances. */
export const kindOf = (plane: number): number => Math.min(1, plane)

/** Returns the classes that learning starts with, of equal fractions. */
export function startingClasses({ width, height, views }: Views, shape: PatchShape): PatchClass[] {
  const kinds = views.length === 1 && views[0].planes.length === 1 ? [0] : [0, 1]
  const roughness = kinds.map((kind) => {
    const signals = views
      .filter(({ planes }) => planes.some((plane) => kindOf(plane) === kind))
      .flatMap((view) => view.signals)
    return relativeRoughness(signals, width, height)
  })
  const textures = [
    ...ISOTROPIC.map((texture) => ({ texture, angle: 0 })),
    ...EDGES.flatMap((texture) =>
      Array.from({ length: DIRECTIONS }, (_, n) => ({ texture, angle: (Math.PI * n) / DIRECTIONS })),
    ),
  ]
  return textures.map(({ texture, angle }) => ({
    logFraction: -Math.log(textures.length),
    covariances: kinds.map((kind) => covarianceOf(texture, angle, roughness[kind], shape)),
  }))
}

/** Returns a covariance (pixels × pixels) of a plane of variance 1. @param angle of the edge */
function covarianceOf(
  { amplitude, length, stretch, squeeze, smooth }: Texture,
  angle: number,
  roughness: number,
  { rows, columns }: PatchShape,
): Float64Array {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const pixels = rows * columns
  const covariance = new Float64Array(pixels * pixels)
  for (let x = 0; x < pixels; x++)
    for (let y = 0; y < pixels; y++) {
      const down = Math.floor(x / columns) - Math.floor(y / columns)
      const right = (x % columns) - (y % columns)
      const along = (cos * right + sin * down) / stretch
      const across = (cos * down - sin * right) * squeeze
      const distance = Math.sqrt(along * along + across * across)
      const decay = Math.exp(-distance / length) * (smooth ? 1 + distance / length : 1)
      covariance[x * pixels + y] = 1 + amplitude * roughness * decay
    }
  return covariance
}

/** Returns half the mean square of differences at short lags, over the variance of the known values. */
function relativeRoughness(signals: readonly Signal[], width: number, height: number): number {
  let [differences, pairs, squares, count] = [0, 0, 0, 0]
  for (const { values, known } of signals)
    for (let i = 0; i < height; i++)
      for (let j = 0; j < width; j++) {
        const p = i * width + j
        if (!known[p]) continue
        squares += values[p] * values[p]
        count++
        for (const [down, right] of LAGS) {
          const q = p + down * width + right
          if (i + down >= height || j + right >= width || !known[q]) continue
          differences += (values[p] - values[q]) ** 2
          pairs++
        }
      }
  const variance = squares / Math.max(1, count)
  return variance > 0 && pairs > 0 ? Math.max(1e-4, differences / (2 * pairs * variance)) : 1
}
