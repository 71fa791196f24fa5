/** The compiled kernels of the solver: random numbers, memory layout, padded ranks and the power method. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { below, draw } from '#lacuna/base/random.js'
import { partialBytes, scratchBytes } from '#lacuna/engine/cpu/memory/areaSizes.js'
import { compileKernel } from '#lacuna/engine/cpu/threads/compileKernel.js'
import { instantiateKernel, paddedRank, paddedRanks } from '#lacuna/engine/cpu/threads/kernel.js'
import { checkProperty } from '../../../properties.ts'
import { jacobiEigenvalues } from './jacobi.ts'

const memory = new WebAssembly.Memory({ initial: 32, maximum: 32, shared: true })
/** Instantiates the kernels of a padded rank on the memory of this file. */
const load = async (rank: number) => instantiateKernel(await compileKernel(rank), memory)

it('Kernels draw the same random numbers as TypeScript', async () => {
  const kernel = await load(4)
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  checkProperty(
    fc.property(word, word, (key, counter) => {
      expect(kernel.draw(key, counter) >>> 0).toBe(draw(key, counter))
      expect(kernel.below(key, counter) >>> 0).toBe(below(key, counter))
    }),
    { seed: 1, numRuns: 1000 },
  )
})

it('A kernel exists for every padded rank and agrees with the memory layout', async () => {
  for (const rank of paddedRanks) {
    const kernel = await load(rank)
    expect(kernel.sumBytesFor(3)).toBe(partialBytes(rank, 3))
    expect(kernel.scratchBytes(5)).toBe(scratchBytes(rank, 5))
  }
})

it('A rank is padded to the next compiled one, and refused beyond the largest', () => {
  expect([1, 4, 5, 64, 65, 129, 256].map(paddedRank)).toEqual([4, 4, 8, 64, 72, 144, 256])
  expect(() => paddedRank(257)).toThrow('at most 256')
})

describe('the power method', () => {
  /** λ_max of KᵀK for K (rows × rank): by the kernel, and by Jacobi rotations. */
  async function largestEigenvalues(rank: number, K: number[][]): Promise<[number, number]> {
    const kernel = await load(rank)
    const H = K[0].map((_, r) => K[0].map((_, s) => Math.fround(K.reduce((sum, k) => sum + k[r] * k[s], 0))))
    new Float32Array(memory.buffer, 0, rank * rank).set(H.flat())
    const vectors = 4 * rank * rank
    return [kernel.largestEigenvalue(0, vectors, vectors + 4 * rank), Math.max(...jacobiEigenvalues(H))]
  }

  /**
   * The relative error at which the method may end where eigenvalues are nearly tied. With the shares of v along the eigenvectors
   * as weights, ρ is the mean of the eigenvalues, and one product adds 2 Var/ρ to it: it ends at Var ≤ ½·10⁻⁶ρ². The leading
   * share is at least 1/R, so λ_max is at most √((R − 1)·Var) above the mean (Cantelli). A tenth is left for float32.
   */
  const errorOfTies = (rank: number): number => 1.1 * Math.sqrt((rank - 1) * 0.5e-6)

  it('The power method finds the largest eigenvalue of random Gram matrices', async () => {
    const value = fc.double({ min: 0, max: 1, noNaN: true })
    await checkProperty(
      fc.asyncProperty(
        fc
          .constantFrom(4, 12, 20)
          .chain((rank) =>
            fc.array(fc.array(value, { minLength: rank, maxLength: rank }), { minLength: 1, maxLength: 30 }),
          ),
        async (K) => {
          const rank = K[0].length
          const [kernel, truth] = await largestEigenvalues(rank, K)
          expect(Math.abs(kernel - truth)).toBeLessThanOrEqual(errorOfTies(rank) * truth + 1e-30)
        },
      ),
      { seed: 2, numRuns: 100 },
    )
  })

  it('The power method handles zero, rank-one, diagonal and nearly tied matrices', async () => {
    const unit = (r: number, x: number): number[] => Array.from({ length: 8 }, (_, s) => (s === r ? x : 0))
    const nasty = [
      [unit(0, 0)],
      [[1, 2, 3, 4, 5, 6, 7, 8]],
      [unit(0, 1), unit(5, 2)],
      [unit(1, 1), unit(2, 1.001)],
      [unit(3, 1e-15), unit(4, 1e-16)],
      [unit(3, 1e-20), unit(4, 2e-21)], // below what float32 can be divided by
      [unit(3, 1e15), unit(4, 1)],
    ]
    for (const K of nasty) {
      const [kernel, truth] = await largestEigenvalues(8, K)
      expect(Math.abs(kernel - truth)).toBeLessThanOrEqual(1e-3 * truth + 1e-30)
    }
  })
})
