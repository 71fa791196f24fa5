/** A drawn picture as a completion problem. */
import { type SparseTensor, sparseTensor } from 'lacuna'
import { draw, purpose, stream, unit } from 'lacuna/internal'

/**
 * Returns the value in [0, 1] of a pixel of the drawn picture: a façade with windows and a cornice under a
 * sky.
 */
function brightness(row: number, column: number, channel: number): number {
  const [y, x] = [row / 1063, column / 1599]
  const sky = [0.45, 0.6, 0.85][channel] * (1 - 0.35 * y)
  const roof = 0.22 + 0.08 * Math.abs(x - 0.5)
  if (y < roof) return sky + 0.05 * Math.sin(9 * x + 4 * y)
  const stone = [0.72, 0.66, 0.55][channel] * (0.8 + 0.2 * Math.cos(3 * (x - 0.4)))
  const shade = 0.92 + 0.08 * Math.sin(60 * Math.PI * y)
  const inWindow = (12 * x) % 1 > 0.3 && (12 * x) % 1 < 0.7 && (7 * y) % 1 > 0.25 && (7 * y) % 1 < 0.85
  const glass = [0.18, 0.24, 0.32][channel] * (1 + 0.5 * Math.sin(5 * x + 7 * y))
  const cornice = y < roof + 0.03 ? 1.15 : 1
  return Math.min(1, (inWindow ? glass : stone * shade) * cornice)
}

/**
 * Returns the entries of the picture (1063 × 1599 × 3), picked at random.
 * @param fraction the fraction of the values that are observed; a hundredth of all is held out
 */
export function imageProblem(fraction: number, seed: number): { tensor: SparseTensor; test: SparseTensor } {
  const dims = [1063, 1599, 3]
  const key = stream(seed, purpose.benchPicture)
  const picked: { observed: number[]; heldOut: number[] } = { observed: [], heldOut: [] }
  for (let cell = 0; cell < dims[0] * dims[1] * dims[2]; cell++) {
    const u = unit(draw(key, cell))
    if (u < fraction) picked.observed.push(cell)
    else if (u < fraction + 0.01) picked.heldOut.push(cell)
  }
  const entries = (cells: number[]): SparseTensor => {
    const row = Uint32Array.from(cells, (cell) => Math.floor(cell / 4797))
    const column = Uint32Array.from(cells, (cell) => Math.floor(cell / 3) % 1599)
    const channel = Uint32Array.from(cells, (cell) => cell % 3)
    const values = Float32Array.from(cells, (_, e) => brightness(row[e], column[e], channel[e]))
    return sparseTensor({ dims, indices: [row, column, channel], values })
  }
  return { tensor: entries(picked.observed), test: entries(picked.heldOut) }
}
