/** Compares the engine's sweeps under a learned prior with the reference. */
import { fitNoise } from '#lacuna/engine/cpu/steps/posterior/noise.js'
import type { Engine, Features, Loss, Noise, SideInformation } from '#lacuna/engine/engine.js'
import { NOISE_BINS } from '#lacuna/kernels/solve/layout.js'
import { balance } from '#lacuna/reference/fast.js'
import type { Matrix, Vector } from '#lacuna/reference/matrix.js'
import { type PosteriorSettings, startPosterior, sweepPosterior } from '#lacuna/reference/posterior.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { distance, randomFactors, randomTensor, weighted } from '../../problems.ts'
import {
  demandBelow,
  demandEqual,
  matrices,
  residualSums,
  scaledLambda,
  skipsComparisons,
  toDataUnits,
  toEngineUnits,
  weightedSum,
  withProblem,
} from './judge.ts'

/** A random problem for sweeps under a learned prior. */
interface PosteriorCase {
  name: string
  dims: readonly number[]
  rank: number
  entries: number
  noise?: Noise
  loss?: Loss
  isStart?: boolean
  isGrouped?: boolean
  sideInformation?: readonly (SideInformation | undefined)[]
  /** Changes the random entries. */
  transform?: (tensor: SparseTensor) => SparseTensor
}

/** Adds noise whose variance differs between rows of the second mode. */
function withUnevenNoise(tensor: SparseTensor): SparseTensor {
  const values = tensor.values.map((x, e) =>
    Math.max(0, x + 5 * (tensor.indices[1][e] % 3) * Math.sin(1000 * e + 1)),
  )
  return { ...tensor, values }
}

/** Leaves out the entries of 6 of every 20 neighbouring rows of the first mode. */
const withGaps = (tensor: SparseTensor): SparseTensor =>
  pickEntries(
    tensor,
    Uint32Array.from(tensor.values.keys()).filter((e) => tensor.indices[0][e] % 20 < 14),
  )

/** Two attributes of each of 12 rows. */
const attributes = Float32Array.from({ length: 24 }, (_, at) => Math.sin(3 * at) + (at % 2))

/** The cases that every engine is compared with the reference on. */
export const posteriorCases: readonly PosteriorCase[] = [
  { name: 'a matrix', dims: [14, 11], rank: 3, entries: 100, noise: 'gaussian' },
  { name: 'counts', dims: [9, 12, 7], rank: 5, entries: 300, noise: 'poisson' },
  { name: 'learned growth of the noise', dims: [9, 12, 7], rank: 4, entries: 300, noise: 'auto' },
  { name: 'a matrix in groups', dims: [11, 400], rank: 3, entries: 1600, isGrouped: true },
  { name: 'weights in groups', dims: [9, 80, 7], rank: 5, entries: 900, noise: 'auto', isGrouped: true },
  {
    name: 'lags in groups',
    dims: [30, 12, 9],
    rank: 3,
    entries: 500,
    isGrouped: true,
    sideInformation: [{ lags: [1, 7] }, undefined, undefined],
  },
  { name: 'order 4', dims: [5, 6, 7, 8], rank: 3, entries: 250, noise: 'auto' },
  { name: 'order 5', dims: [4, 5, 4, 3, 4], rank: 2, entries: 200 },
  {
    name: 'rows that differ in noise',
    dims: [9, 12, 7],
    rank: 4,
    entries: 400,
    noise: 'row',
    transform: withUnevenNoise,
  },
  { name: 'weights', dims: [9, 12, 7], rank: 4, entries: 300, noise: 'auto', transform: weighted },
  {
    name: 'weights and rows that differ in noise',
    dims: [9, 12, 7],
    rank: 4,
    entries: 400,
    noise: 'row',
    loss: 'huber',
    transform: (tensor) => weighted(withUnevenNoise(tensor)),
  },
  { name: 'outliers', dims: [9, 12, 7], rank: 4, entries: 300, noise: 'auto', loss: 'huber' },
  {
    name: 'a start with certain rows',
    dims: [9, 12, 7],
    rank: 4,
    entries: 300,
    loss: 'huber',
    isStart: true,
  },
  {
    name: 'lags',
    dims: [40, 6, 7],
    rank: 3,
    entries: 130,
    transform: withGaps,
    sideInformation: [{ lags: [1, 7] }, undefined, undefined],
  },
  {
    name: 'lags on a circle of rows in another order',
    dims: [40, 6, 7],
    rank: 3,
    entries: 130,
    transform: withGaps,
    sideInformation: [
      { lags: [1, 7, 20], isCyclic: true, order: Uint32Array.from({ length: 40 }, (_, at) => (at * 7) % 40) },
      undefined,
      undefined,
    ],
  },
  {
    name: 'an autoregressive prior',
    dims: [40, 6, 7],
    rank: 3,
    entries: 300,
    transform: withGaps,
    sideInformation: [{ lags: [1, 3, 7], isAutoregressive: true }, undefined, undefined],
  },
  {
    name: 'an autoregressive prior in groups, of rows in another order',
    dims: [40, 6, 7],
    rank: 3,
    entries: 500,
    isGrouped: true,
    transform: withGaps,
    sideInformation: [
      {
        lags: [2, 5],
        isAutoregressive: true,
        order: Uint32Array.from({ length: 40 }, (_, at) => (at * 7) % 40),
      },
      undefined,
      undefined,
    ],
  },
  {
    name: 'attributes',
    dims: [9, 12, 7],
    rank: 4,
    entries: 300,
    sideInformation: [undefined, { features: { columns: 2, values: attributes } }, undefined],
  },
  {
    name: 'lags and attributes',
    dims: [7, 12, 9],
    rank: 3,
    entries: 200,
    sideInformation: [undefined, { lags: [2], features: { columns: 2, values: attributes } }, undefined],
  },
]

/** The reference's result by the name of a case: it is the same for every engine. */
const references = new Map<string, ReturnType<typeof startPosterior>>()

/**
 * Runs three sweeps; demands that factors, moments, the learned prior and the noise are close to the
 * reference.
 */
export async function comparePosterior(
  engine: Engine,
  {
    name,
    noise = 'gaussian',
    loss = 'squares',
    rank,
    sideInformation,
    transform,
    isStart,
    isGrouped = false,
    ...shape
  }: PosteriorCase,
): Promise<void> {
  const dims = [...shape.dims]
  const random = randomTensor({ dims, entries: shape.entries, seed: 11 })
  const tensor = transform ? transform(random) : random
  const initial = randomFactors(dims, rank, 12)
  const { factors } = balance(tensor, matrices(initial, rank))
  const entries = tensor.values.length
  const mean = weightedSum(tensor, (x) => x) / entries
  const settings: PosteriorSettings = {
    lambda: 0.5,
    sigma2: 0.3,
    squares: residualSums(tensor, factors)[0] / 10,
    variance: weightedSum(tensor, (x) => x * x) / entries - mean * mean,
    mean,
    rowNoise: noise === 'row',
    huber: loss === 'huber',
    isStart,
    isGrouped,
    sideInformation: sideInformation?.map(
      (side) => side && { ...side, features: side.features && matrixOf(side.features) },
    ),
    ...((noise === 'poisson' || noise === 'auto') && {
      noise: (predictions, residuals, weights) =>
        noise === 'poisson' ? [0, 1 / mean] : varianceOf(predictions, residuals, weights, mean),
    }),
  }
  const problem = {
    tensor,
    rank,
    momentumFactors: true,
    seed: 1,
    posterior: isGrouped ? ('groups' as const) : ('rows' as const),
    sideInformation,
  }
  await withProblem(engine, problem, async (loaded) => {
    const { valueScale, factorScale, emptyRows } = loaded.statistics
    await loaded.writeFactors(toEngineUnits(initial, loaded))
    await loaded.balance()
    const begin = {
      sigma2: settings.sigma2 * valueScale ** 2,
      squares: settings.squares * valueScale ** 2,
      variance: settings.variance * valueScale ** 2,
    }
    const step = { kind: 'posterior', noise, loss, entries, mean: mean * valueScale, isStart } as const
    const run = { sample: 1, lambda: scaledLambda(0.5, loaded), seed: 1 }
    await loaded.iterate({ ...run, first: 0, count: 1, step: { ...step, begin } })
    await loaded.iterate({ ...run, first: 1, count: 2, step })
    const state = await loaded.readState()
    if (skipsComparisons()) return
    const reference = references.get(name) ?? startPosterior(tensor, factors, settings)
    if (!references.has(name))
      for (let sweep = 0; sweep < 3; sweep++) sweepPosterior(tensor, reference, settings)
    references.set(name, reference)
    demandEqual(reference.noisyMode, noise === 'row' ? 1 : undefined, 'the mode whose rows differ in noise')
    const where = `in ${name}`
    demandBelow(distance(toDataUnits(state.factors, loaded), reference.factors), 2e-3, `factors ${where}`)
    const sigma2 = state.shared![0][0] / valueScale ** 2
    demandBelow(Math.abs(sigma2 / reference.sigma2 - 1), 2e-3, `σ² ${where}`)
    dims.forEach((_, i) => {
      const seen = reference.factors[i].map((_, p) => !emptyRows[i].includes(p))
      reference.moments[i].forEach((M, p) => {
        const found = state.moments![i].subarray(p * rank ** 2, (p + 1) * rank ** 2)
        if (seen[p] && !isGrouped)
          demandBelow(upperDistance(found, M, factorScale ** -2), 3e-3, `moments of ${p} in ${i} ${where}`)
        demandBelow(Math.abs(reference.leverages[i][p] - state.leverages![i][p]), 3e-3, `leverage ${where}`)
      })
      const { precisions, rowMeans, couplingWeights, variances, lagWeights } = reference
      demandBelow(
        distance([state.rowMeans![i].map((u) => u / factorScale)], [rowMeans[i]]),
        2e-3,
        `rows' means of ${i} ${where}`,
      )
      lagWeights[i].forEach((w, k) => {
        demandBelow(Math.abs(state.lagWeights![i][k] / w - 1), 2e-2, `weight of lag ${k} ${where}`)
      })
      couplingWeights[i].forEach((couplingWeight, p) => {
        demandBelow(
          Math.abs(state.couplingWeights![i][p] / couplingWeight - 1),
          2e-2,
          `couplingWeight of ${p} ${where}`,
        )
      })
      variances[i].forEach((variance, p) => {
        demandBelow(
          Math.abs(state.variances![i][p] / variance - 1),
          5e-3,
          `variance of ${p} in ${i} ${where}`,
        )
      })
      demandBelow(
        upperDistance(state.precisions![i], precisions[i], factorScale ** 2),
        1e-2,
        `Σ⁻¹ of ${i} ${where}`,
      )
    })
  })
}

/** Attributes as a matrix of the reference. */
const matrixOf = ({ columns, values }: Features): Matrix =>
  Array.from({ length: values.length / columns }, (_, p) =>
    Float64Array.from(values.subarray(p * columns, (p + 1) * columns)),
  )

/**
 * The largest difference of two symmetric matrices, on and above the diagonal, relative to the largest
 * element of `wanted`.
 */
function upperDistance(found: Float32Array, wanted: Matrix, scale: number): number {
  const largest = Math.max(...wanted.map((row) => Math.max(...row)))
  return Math.max(
    ...wanted.flatMap((row, r) =>
      [...row].map((u, s) => (s < r ? 0 : Math.abs(found[r * row.length + s] * scale - u) / largest)),
    ),
  )
}

/** c₀ and c₁ of the noise variance, fitted to residuals in bins of predictions, as the engine does it. */
function varianceOf(predictions: Vector, residuals: Vector, weights: Vector, mean: number): [number, number] {
  const bins = new Float64Array(3 * NOISE_BINS)
  predictions.forEach((y, e) => {
    const bin = Math.min(NOISE_BINS - 1, Math.max(0, Math.floor(4 * Math.log2(y / mean) + 41)))
    bins[3 * bin] += weights[e]
    bins[3 * bin + 1] += weights[e] * y
    bins[3 * bin + 2] += weights[e] * residuals[e] ** 2
  })
  const [c0, c1] = fitNoise(bins, mean)
  return [c0, c1]
}
