/**
 * The engine's samples are windows of shuffled rows (the engine suite shows that it takes exactly these). Here:
 * that they are samples as the paper asks for, and that nothing is lost against independent ones.
 */
import { describe, expect, it } from 'vitest'
import { purpose, stream } from '#lacuna/base/random.js'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import type { Step } from '#lacuna/engine/engine.js'
import { ntc, relativeError } from '#lacuna/reference/ntc.js'
import { synthetic } from '#lacuna/tensor/index.js'
import { chiSquare } from '../../chiSquare.ts'
import { randomFactors, randomTensor, toMatrix } from '../../problems.ts'
import { engineSampler, roundedSampleSize } from './engineSampler.ts'

describe('a sample', () => {
  const tensor = randomTensor({ dims: [6, 40, 30], entries: 1500, seed: 1 })
  const rowSizes = Array.from({ length: 6 }, (_, p) => tensor.indices[0].filter((q) => q === p).length)

  it('A paper sample has ⌊c · nnz⌋ distinct entries of the row', () => {
    const sample = engineSampler(tensor, 3, 4).paper
    rowSizes.forEach((nnz, p) => {
      for (const c of [0.02, 0.3, 0.99, 1]) {
        const B = Math.floor(c * nnz)
        const picked = sample(nnz, B, { k: 5, i: 0, p, l: 0 })
        expect(new Set(picked).size).toBe(B)
        expect(picked.every((q) => q >= 0 && q < nnz)).toBe(true)
      }
    })
  })

  it('Samples contain every entry equally often over many iterations', () => {
    const sample = engineSampler(tensor, 3, 4).paper
    const nnz = rowSizes[2]
    const counts = new Array<number>(nnz).fill(0)
    const iterations = 4000
    // One entry at a time: larger windows have the same mean, but their counts are not independent.
    for (let k = 0; k < iterations; k++) for (const q of sample(nnz, 1, { k, i: 0, p: 2, l: 0 })) counts[q]++
    expect(chiSquare(counts)).toBeLessThan(4)
  })

  it('Samples change with iteration, mode, row, inner iteration and seed', () => {
    const starts = (seed: number, l: number, p: number): number[] => {
      const sample = engineSampler(tensor, seed, 4).paper
      return Array.from({ length: 50 }, (_, k) => sample(rowSizes[p], 1, { k, i: 0, p, l })[0])
    }
    const base = starts(3, 0, 2)
    expect(new Set(base).size).toBeGreaterThan(20)
    expect(starts(3, 1, 2)).not.toEqual(base)
    expect(starts(4, 0, 2)).not.toEqual(base)
    expect(starts(3, 0, 3)).not.toEqual(base)
  })
})

describe('a rounded sample', () => {
  it('A rounded sample has c · nnz entries on average, rounded up or down each time', () => {
    const iterations = 20_000
    for (const [nnz, c] of [
      [3, 0.05],
      [7, 0.5],
      [19, 0.33],
      [1000, 0.0123],
      [5, 1],
    ]) {
      let [sum, furthest] = [0, 0]
      for (let k = 0; k < iterations; k++) {
        const B = roundedSampleSize(nnz, c, stream(5, purpose.sample, k, 1, 0), 4)
        furthest = Math.max(furthest, Math.abs(B - c * nnz))
        sum += B
      }
      expect(furthest).toBeLessThan(1)
      // Four standard deviations of a mean of draws that are at most 1 apart.
      expect(Math.abs(sum / iterations - c * nnz)).toBeLessThanOrEqual((4 * 0.5) / Math.sqrt(iterations))
    }
  })

  it('Rounded samples update rows with fewer than 1/c entries; the paper’s do not', async () => {
    const dims = [11, 40, 30]
    const dense = randomTensor({ dims: [9, 40, 30], entries: 3000, seed: 2 })
    // Row 9 of mode 0 has three entries, row 10 none.
    const tensor = {
      dims,
      indices: [
        Uint32Array.of(...dense.indices[0], 9, 9, 9),
        Uint32Array.of(...dense.indices[1], 1, 2, 3),
        Uint32Array.of(...dense.indices[2], 4, 5, 6),
      ],
      values: Float32Array.of(...dense.values, 1, 2, 3),
    }
    /** The row in question after 300 AO iterations, and one without any entry, which only balancing can have scaled. */
    const rowsAfter = async (step: Step): Promise<{ few: number[]; none: number[]; initial: number[][] }> => {
      const engine = cpuEngine({ allThreads: true, threads: 2 })
      const problem = await engine.load({ tensor, rank: 3, momentumFactors: true, seed: 1 })
      const initial = randomFactors(dims, 3, 1)
      await problem.writeFactors(initial)
      if (step.kind !== 'paper') await problem.balance()
      await problem.iterate({ first: 0, count: 300, sample: 0.05, lambda: 0.01, seed: 1, step })
      const [U] = await problem.readFactors()
      await engine.close()
      const row = (of: Float32Array, p: number): number[] => [...of.subarray(3 * p, 3 * p + 3)]
      return { few: row(U, 9), none: row(U, 10), initial: [row(initial[0], 9), row(initial[0], 10)] }
    }
    const paper = await rowsAfter({ kind: 'paper', maxInner: 1 })
    expect([paper.few, paper.none]).toEqual(paper.initial)
    const steps: Step[] = [
      { kind: 'gradient', momentum: 0 },
      { kind: 'newton', momentum: 0, damping: 3 },
    ]
    for (const step of steps) {
      const { few, none, initial } = await rowsAfter(step)
      const scaled = few.map((u, r) => u / ((initial[0][r] * none[r]) / initial[1][r]))
      // A row that is only scaled along with its column would have ones here.
      expect(scaled.some((ratio) => Math.abs(ratio - 1) > 0.1)).toBe(true)
    }
  })
})

describe('convergence by windows', () => {
  it('Sampling by windows converges like independent samples', () => {
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
            const sample = kind === 'windows' ? engineSampler(tensor, seed, 3).paper : undefined
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
