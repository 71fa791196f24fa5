/** Value noise, for pictures that are drawn. */
import { draw, purpose, stream, unit } from '../base/random.ts'

/** Rows and columns of the lattice of random numbers, after which it repeats; a power of two. */
const PERIOD = 256
const key = stream(1, purpose.drawing)
/** Uniform random numbers (PERIOD × PERIOD). */
const lattice = Float32Array.from({ length: PERIOD * PERIOD }, (_, n) => unit(draw(key, n)))

/** Returns the random number at a point of the lattice, which repeats in both directions. */
const latticeAt = (i: number, j: number): number => lattice[(i & (PERIOD - 1)) * PERIOD + (j & (PERIOD - 1))]

/**
 * Returns value noise: a smooth random function of the plane with values in (0, 1) and bumps about 1 wide;
 * always the same.
 */
export function noise(x: number, y: number): number {
  const [i, j] = [Math.floor(x), Math.floor(y)]
  const [u, v] = [x - i, y - j]
  const [a, b] = [u * u * (3 - 2 * u), v * v * (3 - 2 * v)]
  const upper = latticeAt(i, j) * (1 - a) + latticeAt(i + 1, j) * a
  const lower = latticeAt(i, j + 1) * (1 - a) + latticeAt(i + 1, j + 1) * a
  return upper * (1 - b) + lower * b
}

/**
 * Returns fractal noise, in (0, 1): a weighted mean of value noise of several sizes (octaves), each half as
 * wide and half as strong as the one before.
 * @param octaves the number of sizes
 */
export function fractalNoise(x: number, y: number, octaves: number): number {
  let [sum, weight, total] = [0, 1, 0]
  for (let o = 0; o < octaves; o++) {
    sum += weight * noise(x * 2 ** o + 17 * o, y * 2 ** o - 31 * o)
    total += weight
    weight /= 2
  }
  return sum / total
}
