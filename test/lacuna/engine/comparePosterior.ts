/** Sweeps under a learned prior beside the reference's. */
import { fitNoise } from '#lacuna/engine/cpu/steps/posterior/noise.js'
import type { Engine, Features, Loss, Noise, SideInformation } from '#lacuna/engine/engine.js'
import { NOISE_BINS } from '#lacuna/kernels/solve/layout.js'
import { balance } from '#lacuna/reference/fast.js'
import type { Matrix, Vector } from '#lacuna/reference/matrix.js'
import { type PosteriorSettings, startPosterior, sweepPosterior } from '#lacuna/reference/posterior.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { distance, randomFactors, randomTensor, weighted } from '../../problems.ts'
import {
  below,
  errorInDataUnits,
  followsOnly,
  inEngineUnits,
  matrices,
  residualSums,
  same,
  scaledLambda,
  sumOf,
  withProblem,
} from './judge.ts'

interface PosteriorCase {
  name: string
  dims: readonly number[]
  rank: number
  entries: number
  noise?: Noise
  loss?: Loss
  isStart?: boolean
  sideInformation?: readonly (SideInformation | undefined)[]
  /** What is special about the entries. */
  among?: (tensor: SparseTensor) => SparseTensor
}

/** The rows of the second mode differ in noise. */
function unevenly(tensor: SparseTensor): SparseTensor {
  const values = tensor.values.map((x, e) =>
    Math.max(0, x + 5 * (tensor.indices[1][e] % 3) * Math.sin(1000 * e + 1)),
  )
  return { ...tensor, values }
}

/** Some neighbours in the first mode have no entries. */
const withGaps = (tensor: SparseTensor): SparseTensor =>
  pickEntries(
    tensor,
    Uint32Array.from(tensor.values.keys()).filter((e) => tensor.indices[0][e] % 20 < 14),
  )

const attributes = Float32Array.from({ length: 24 }, (_, at) => Math.sin(3 * at) + (at % 2))

export const posteriorCases: readonly PosteriorCase[] = [
  { name: 'a matrix', dims: [14, 11], rank: 3, entries: 100, noise: 'gaussian' },
  { name: 'counts', dims: [9, 12, 7], rank: 5, entries: 300, noise: 'poisson' },
  { name: 'noise as it is', dims: [9, 12, 7], rank: 4, entries: 300, noise: 'auto' },
  { name: 'order 4', dims: [5, 6, 7, 8], rank: 3, entries: 250, noise: 'auto' },
  { name: 'order 5', dims: [4, 5, 4, 3, 4], rank: 2, entries: 200 },
  {
    name: 'rows that differ in noise',
    dims: [9, 12, 7],
    rank: 4,
    entries: 400,
    noise: 'row',
    among: unevenly,
  },
  { name: 'weights', dims: [9, 12, 7], rank: 4, entries: 300, noise: 'auto', among: weighted },
  {
    name: 'weights and rows that differ in noise',
    dims: [9, 12, 7],
    rank: 4,
    entries: 400,
    noise: 'row',
    loss: 'huber',
    among: (tensor) => weighted(unevenly(tensor)),
  },
  { name: 'outliers', dims: [9, 12, 7], rank: 4, entries: 300, noise: 'auto', loss: 'huber' },
  {
    name: 'a start that outliers do not lead',
    dims: [9, 12, 7],
    rank: 4,
    entries: 300,
    loss: 'huber',
    isStart: true,
  },
  {
    name: 'neighbours',
    dims: [40, 6, 7],
    rank: 3,
    entries: 130,
    among: withGaps,
    sideInformation: [{ lags: [1, 7] }, undefined, undefined],
  },
  {
    name: 'attributes',
    dims: [9, 12, 7],
    rank: 4,
    entries: 300,
    sideInformation: [undefined, { features: { columns: 2, values: attributes } }, undefined],
  },
  {
    name: 'both',
    dims: [7, 12, 9],
    rank: 3,
    entries: 200,
    sideInformation: [undefined, { lags: [2], features: { columns: 2, values: attributes } }, undefined],
  },
]

/** What the reference has found for a case, by its name, is true for every engine. */
const known = new Map<string, ReturnType<typeof startPosterior>>()

/** Three sweeps: factors, what is uncertain, what is learned, and the noise. */
export async function comparePosterior(
  engine: Engine,
  {
    name,
    noise = 'gaussian',
    loss = 'squares',
    rank,
    sideInformation,
    among,
    isStart,
    ...shape
  }: PosteriorCase,
): Promise<void> {
  const dims = [...shape.dims]
  const random = randomTensor({ dims, entries: shape.entries, seed: 11 })
  const tensor = among ? among(random) : random
  const initial = randomFactors(dims, rank, 12)
  const { factors } = balance(tensor, matrices(initial, rank))
  const entries = tensor.values.length
  const mean = sumOf(tensor, (x) => x) / entries
  const settings: PosteriorSettings = {
    lambda: 0.5,
    sigma2: 0.3,
    squares: residualSums(tensor, factors)[0] / 10,
    variance: sumOf(tensor, (x) => x * x) / entries - mean * mean,
    mean,
    rowNoise: noise === 'row',
    huber: loss === 'huber',
    isStart,
    sideInformation: sideInformation?.map(
      (side) => side && { ...side, features: side.features && matrixOf(side.features) },
    ),
    ...((noise === 'poisson' || noise === 'auto') && {
      noise: (predictions, residuals, weights) =>
        noise === 'poisson' ? [0, 1 / mean] : varianceOf(predictions, residuals, weights, mean),
    }),
  }
  const problem = { tensor, rank, momentumFactors: true, seed: 1, posterior: true, sideInformation }
  await withProblem(engine, problem, async (loaded) => {
    const { valueScale, factorScale, emptyRows } = loaded.statistics
    await loaded.writeFactors(inEngineUnits(initial, loaded))
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
    if (followsOnly()) return
    const reference = known.get(name) ?? startPosterior(tensor, factors, settings)
    if (!known.has(name)) for (let sweep = 0; sweep < 3; sweep++) sweepPosterior(tensor, reference, settings)
    known.set(name, reference)
    same(reference.noisyMode, noise === 'row' ? 1 : undefined, 'the mode whose rows differ in noise')
    const where = `in ${name}`
    below(distance(errorInDataUnits(state.factors, loaded), reference.factors), 2e-3, `factors ${where}`)
    const sigma2 = state.shared![0][0] / valueScale ** 2
    below(Math.abs(sigma2 / reference.sigma2 - 1), 2e-3, `σ² ${where}`)
    dims.forEach((_, i) => {
      const seen = reference.factors[i].map((_, p) => !emptyRows[i].includes(p))
      reference.moments[i].forEach((M, p) => {
        const found = state.moments![i].subarray(p * rank ** 2, (p + 1) * rank ** 2)
        if (seen[p])
          below(upperDistance(found, M, factorScale ** -2), 3e-3, `moments of ${p} in ${i} ${where}`)
        below(Math.abs(reference.leverages[i][p] - state.leverages![i][p]), 3e-3, `leverage ${where}`)
      })
      const { precisions, rowMeans, couplingWeights, variances, lagWeights } = reference
      below(
        distance([state.rowMeans![i].map((u) => u / factorScale)], [rowMeans[i]]),
        2e-3,
        `rows' means of ${i} ${where}`,
      )
      lagWeights[i].forEach((w, k) => {
        below(Math.abs(state.lagWeights![i][k] / w - 1), 2e-2, `weight of lag ${k} ${where}`)
      })
      couplingWeights[i].forEach((couplingWeight, p) => {
        below(
          Math.abs(state.couplingWeights![i][p] / couplingWeight - 1),
          2e-2,
          `couplingWeight of ${p} ${where}`,
        )
      })
      variances[i].forEach((variance, p) => {
        below(Math.abs(state.variances![i][p] / variance - 1), 5e-3, `variance of ${p} in ${i} ${where}`)
      })
      below(
        upperDistance(state.precisions![i], precisions[i], factorScale ** 2),
        1e-2,
        `Σ⁻¹ of ${i} ${where}`,
      )
    })
  })
}

const matrixOf = ({ columns, values }: Features): Matrix =>
  Array.from({ length: values.length / columns }, (_, p) =>
    Float64Array.from(values.subarray(p * columns, (p + 1) * columns)),
  )

/** Of symmetric matrices, relative to the largest number of the second. */
function upperDistance(found: Float32Array, wanted: Matrix, scale: number): number {
  const largest = Math.max(...wanted.map((row) => Math.max(...row)))
  return Math.max(
    ...wanted.flatMap((row, r) =>
      [...row].map((u, s) => (s < r ? 0 : Math.abs(found[r * row.length + s] * scale - u) / largest)),
    ),
  )
}

/** The noise's variance by what is predicted, as the engine finds it from bins. */
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
