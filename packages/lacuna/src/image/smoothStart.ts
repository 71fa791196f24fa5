/**
 * A first guess for the holes of a plane: the smoothest surface through the known values, a thin plate under
 * some tension (Δ²u = τ Δu). A coarser plane, whose cells are the means of what is known in them, is filled
 * first; its surface is a good start for a few sweeps of relaxation, however large the hole.
 */
export interface Plane {
  width: number
  height: number
  /** (height × width) */
  values: Float32Array
  /** How much of each cell is known; 0 in a hole. */
  weights: Float32Array
}

const SWEEPS = 10
/** τ: none overshoots at edges, much leaves peaks around lone pixels. */
const TENSION = 0.5

export function smoothStart(plane: Plane): Float32Array {
  const { width, height, values, weights } = plane
  if (weights.every((weight) => weight > 0)) return values
  if (width * height === 1) return values // nothing is known at all
  const coarse = halve(plane)
  const surface = double(smoothStart(coarse), coarse, plane)
  for (let p = 0; p < surface.length; p++) if (weights[p] > 0) surface[p] = values[p]
  for (let sweep = 0; sweep < SWEEPS; sweep++) relax(surface, plane)
  return surface
}

/** One sweep of Gauss–Seidel; beyond its border the plane is mirrored. */
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

function halve({ width, height, values, weights }: Plane): Plane {
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

/** Bilinear: a fine cell's centre lies a quarter of a coarse cell beside the centre of its own. */
function double(
  surface: Float32Array,
  coarse: { width: number; height: number },
  fine: { width: number; height: number },
): Float32Array {
  const { width, height } = fine
  const finer = new Float32Array(width * height)
  const place = (i: number, n: number): [number, number, number] => {
    const at = Math.max(0, Math.min(n - 1, (i - 0.5) / 2))
    const low = Math.floor(at)
    return [low, Math.min(n - 1, low + 1), at - low]
  }
  const columns = Array.from({ length: width }, (_, j) => place(j, coarse.width))
  for (let i = 0; i < height; i++) {
    const [top, bottom, down] = place(i, coarse.height)
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

/** The smooth start of every channel of a picture's values (height × width × channels). */
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
