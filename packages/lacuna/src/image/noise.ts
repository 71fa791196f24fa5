/** Value noise, for pictures that are drawn. */
import { draw, purpose, stream, unit } from '../base/random.ts'

/** A lattice of random numbers that repeats after this many. */
const PERIOD = 256
const key = stream(1, purpose.drawing)
const lattice = Float32Array.from({ length: PERIOD * PERIOD }, (_, n) => unit(draw(key, n)))

const at = (i: number, j: number): number => lattice[(i & (PERIOD - 1)) * PERIOD + (j & (PERIOD - 1))]

/** Smooth random numbers in (0, 1) over the plane, with bumps about 1 wide; always the same. */
export function noise(x: number, y: number): number {
  const [i, j] = [Math.floor(x), Math.floor(y)]
  const [u, v] = [x - i, y - j]
  const [a, b] = [u * u * (3 - 2 * u), v * v * (3 - 2 * v)]
  const upper = at(i, j) * (1 - a) + at(i + 1, j) * a
  const lower = at(i, j + 1) * (1 - a) + at(i + 1, j + 1) * a
  return upper * (1 - b) + lower * b
}

/** Noise of several sizes added, each half as wide and half as strong as the one before. */
export function roughness(x: number, y: number, octaves: number): number {
  let [sum, weight, total] = [0, 1, 0]
  for (let o = 0; o < octaves; o++) {
    sum += weight * noise(x * 2 ** o + 17 * o, y * 2 ** o - 31 * o)
    total += weight
    weight /= 2
  }
  return sum / total
}
