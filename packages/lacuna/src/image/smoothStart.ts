/**
 * A first guess for the holes of a plane: the smoothest surface through the known values, a thin plate under
 * some tension (Δ²u = τ Δu). A coarser plane, whose cells are the means of what is known in them, is filled
 * first; its surface is a good start for a few sweeps of relaxation, however large the hole.
 */

/** One channel of a picture, of which some cells are known. */
export interface Plane {
  width: number
  height: number
  /** (height × width) */
  values: Float32Array
  /** How much of each cell is known; 0 in a hole. */
  weights: Float32Array
}

/** Sweeps of relaxation at each resolution. */
const SWEEPS = 10
/** τ: without tension the surface overshoots at edges, with much it has peaks around lone pixels. */
const TENSION = 0.5

/**
 * Returns the smooth surface (height × width) through the known cells, from coarse to fine (cascadic
 * multigrid): the halved plane is filled first. The values themselves are returned if all cells are known.
 */
export function smoothStart(plane: Plane): Float32Array {
  const { width, height, values, weights } = plane
  if (weights.every((weight) => weight > 0)) return values
  if (width * height === 1) return values // nothing is known at all
  const coarse = coarsen(plane)
  const surface = refine(smoothStart(coarse), coarse, plane)
  for (let p = 0; p < surface.length; p++) if (weights[p] > 0) surface[p] = values[p]
  for (let sweep = 0; sweep < SWEEPS; sweep++) relax(surface, plane)
  return surface
}

/**
 * Runs one Gauss–Seidel sweep over the unknown cells of u, in place; beyond its border the plane is mirrored.
 */
function relax(u: Float32Array, { width, height, weights }: Plane): void {
  const mirror = (i: number, n: number): number =>
    Math.max(0, Math.min(n - 1, i < 0 ? -i - 1 : i >= n ? 2 * n - 1 - i : i))
  for (let i = 0; i < height; i++) {
    const [n2, n1, s1, s2] = [i - 2, i - 1, i + 1, i + 2].map((row) => mirror(row, height) * width)
    const row = i * width
    for (let j = 0; j < width; j++) {
      if (weights[row + j] > 0) continue
      const inside = j >= 2 && j < width - 2
      const w2 = inside ? j - 2 : mirror(j - 2, width)
      const w1 = inside ? j - 1 : mirror(j - 1, width)
      const e1 = inside ? j + 1 : mirror(j + 1, width)
      const e2 = inside ? j + 2 : mirror(j + 2, width)
      const near = u[n1 + j] + u[s1 + j] + u[row + w1] + u[row + e1]
      const diagonal = u[n1 + w1] + u[n1 + e1] + u[s1 + w1] + u[s1 + e1]
      const far = u[n2 + j] + u[s2 + j] + u[row + w2] + u[row + e2]
      u[row + j] = (8 * near - 2 * diagonal - far + TENSION * near) / (20 + 4 * TENSION)
    }
  }
}

/**
 * Returns the plane at half the resolution: each cell is the weighted mean of the known among four cells,
 * with the sum of their weights.
 */
function coarsen({ width, height, values, weights }: Plane): Plane {
  const coarse = { width: Math.ceil(width / 2), height: Math.ceil(height / 2) }
  const sums = new Float32Array(coarse.width * coarse.height)
  const total = new Float32Array(sums.length)
  for (let i = 0; i < height; i++)
    for (let j = 0; j < width; j++) {
      const cell = (i >> 1) * coarse.width + (j >> 1)
      const weight = weights[i * width + j]
      sums[cell] += weight * values[i * width + j]
      total[cell] += weight
    }
  for (let cell = 0; cell < sums.length; cell++) if (total[cell] > 0) sums[cell] /= total[cell]
  return { ...coarse, values: sums, weights: total }
}

/**
 * Interpolates a coarse surface bilinearly at the cells of a plane of twice the resolution: the centre of a
 * fine cell lies a quarter of a coarse cell beside the centre of the coarse cell around it.
 */
function refine(
  surface: Float32Array,
  coarse: { width: number; height: number },
  fine: { width: number; height: number },
): Float32Array {
  const { width, height } = fine
  const finer = new Float32Array(width * height)
  const position = (i: number, n: number): [number, number, number] => {
    const at = Math.max(0, Math.min(n - 1, (i - 0.5) / 2))
    const low = Math.floor(at)
    return [low, Math.min(n - 1, low + 1), at - low]
  }
  const columns = Array.from({ length: width }, (_, j) => position(j, coarse.width))
  for (let i = 0; i < height; i++) {
    const [top, bottom, down] = position(i, coarse.height)
    for (let j = 0; j < width; j++) {
      const [left, right, along] = columns[j]
      const upper =
        surface[top * coarse.width + left] * (1 - along) + surface[top * coarse.width + right] * along
      const lower =
        surface[bottom * coarse.width + left] * (1 - along) + surface[bottom * coarse.width + right] * along
      finer[i * width + j] = upper * (1 - down) + lower * down
    }
  }
  return finer
}

/**
 * Returns the smooth surface through the known values of every channel of a picture (height × width ×
 * channels).
 * @param known 1 where a value is known, 0 in a hole
 */
export function smoothValues(
  values: Float32Array,
  known: Uint8Array,
  { width, height, channels }: { width: number; height: number; channels: number },
): Float32Array {
  const filled = new Float32Array(values.length)
  for (let k = 0; k < channels; k++) {
    const plane: Plane = {
      width,
      height,
      values: new Float32Array(width * height),
      weights: new Float32Array(width * height),
    }
    for (let p = 0; p < width * height; p++) {
      plane.values[p] = values[p * channels + k]
      plane.weights[p] = known[p * channels + k]
    }
    const surface = smoothStart(plane)
    for (let p = 0; p < width * height; p++) filled[p * channels + k] = surface[p]
  }
  return filled
}
