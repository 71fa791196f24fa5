/**
 * The engine's samples are windows of shuffled rows (the engine suite shows that it takes exactly these). Here:
 * that they are samples as the paper asks for, and that nothing is lost against independent ones.
 */
import { describe, expect, it } from 'vitest'
import { ntc, relativeError } from '#dist/reference/ntc.js'
import { synthetic } from '#dist/tensor/index.js'
import { chiSquare } from '../chiSquare.ts'
import { randomFactors, randomTensor, toMatrix } from '../problems.ts'
import { windowSampler } from './windowSampler.ts'

describe('a sample', () => {
  const tensor = randomTensor({ dims: [6, 40, 30], entries: 1500, seed: 1 })
  const rowSizes = Array.from({ length: 6 }, (_, p) => tensor.indices[0].filter((q) => q === p).length)

  it('has ⌊c · nnz⌋ distinct entries of the row', () => {
    const sample = windowSampler(tensor, 3)
    rowSizes.forEach((nnz, p) => {
      for (const c of [0.02, 0.3, 0.99, 1]) {
        const B = Math.floor(c * nnz)
        const picked = sample(nnz, B, { k: 5, i: 0, p, l: 0 })
        expect(new Set(picked).size).toBe(B)
        expect(picked.every((q) => q >= 0 && q < nnz)).toBe(true)
      }
    })
  })

  it('takes every entry equally often over many iterations', () => {
    const sample = windowSampler(tensor, 3)
    const nnz = rowSizes[2]
    const counts = new Array<number>(nnz).fill(0)
    const iterations = 4000
    // One entry at a time: larger windows have the same mean, but their counts are not independent.
    for (let k = 0; k < iterations; k++) for (const q of sample(nnz, 1, { k, i: 0, p: 2, l: 0 })) counts[q]++
    expect(chiSquare(counts)).toBeLessThan(4)
  })

  it('changes with the iteration, the mode, the row, the inner iteration and the seed', () => {
    const starts = (seed: number, l: number, p: number): number[] =>
      Array.from({ length: 50 }, (_, k) => windowSampler(tensor, seed)(rowSizes[p], 1, { k, i: 0, p, l })[0])
    const base = starts(3, 0, 2)
    expect(new Set(base).size).toBeGreaterThan(20)
    expect(starts(3, 1, 2)).not.toEqual(base)
    expect(starts(4, 0, 2)).not.toEqual(base)
    expect(starts(3, 0, 3)).not.toEqual(base)
  })
})

describe('convergence by windows', () => {
  it('follows the curve of independent samples', () => {
    const dims = [30, 25, 20]
    const seeds = [1, 2, 3, 4]
    const epochs = [2, 5, 10]
    // Small samples are noisy, and so are the curves' means.
    for (const [c, tolerance] of [
      [0.1, 0.2],
      [0.5, 0.05],
    ]) {
      const curves = { windows: epochs.map(() => 0), independent: epochs.map(() => 0) }
      for (const seed of seeds) {
        const { tensor } = synthetic({ dims, entries: 3000, rank: 3, snrDb: 20, seed })
        const start = randomFactors(dims, 3, seed).map((factor) => toMatrix(factor, 3))
        for (const kind of ['windows', 'independent'] as const) {
          let U = start
          let done = 0
          epochs.forEach((epoch, i) => {
            const iterations = Math.round(epoch / c) - done
            const sample = kind === 'windows' ? windowSampler(tensor, seed) : undefined
            U = ntc(tensor, U, { lambda: 0.01, c, maxInner: 1, first: done, iterations, sample, seed })
            done += iterations
            curves[kind][i] += relativeError(tensor, U) / seeds.length
          })
        }
      }
      epochs.forEach((_, i) => {
        expect(Math.abs(curves.windows[i] / curves.independent[i] - 1)).toBeLessThan(tolerance)
      })
    }
  })
})
