/**
 * The paper's synthetic problems ("Convergence speed of Stochastic NTC"): a tensor X° of rank R whose factors
 * are i.i.d. U[0, 1], observed with Gaussian noise E at cells chosen uniformly, without duplicates.
 */
import { InputError } from '../../base/inputError.ts'
import { checkSeed, draw, normal, purpose, stream, unit } from '../../base/random.ts'
import { float32Array } from '../../base/sharedArrays.ts'
import { checkDims } from '../checkTensor.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import { cellsOf, pickCells } from '../split/pickCells.ts'

/** The sizes, rank, noise and seed of a synthetic problem. */
export interface SyntheticOptions {
  /** I_1 … I_N, the sizes of the modes. */
  dims: readonly number[]
  /** The number of observed cells. */
  entries: number
  /** R, the number of components. */
  rank: number
  /** ‖M ⊛ X°‖² / ‖M ⊛ E‖² in decibels, over the observed entries; Infinity (default) is no noise. */
  snrDb?: number
  /** The same seed gives the same problem; 1 by default. */
  seed?: number
  /** The number of further cells for `test`; 0 by default. */
  testEntries?: number
  /** Called now and then with the fraction of the work that is done; none by default. */
  onProgress?: (fraction: number) => void
}

/** A synthetic problem: its observed entries, further cells, and the true factors. */
export interface SyntheticProblem {
  /**
   * M ⊛ (X° + E). Noise makes some values negative, and clipping them would bias the noise: `sparseTensor`
   * accepts the tensor with `negative: 'keep'`.
   */
  tensor: SparseTensor
  /** X° without noise, at cells that `tensor` does not observe, to measure recovery. */
  test?: SparseTensor
  /** The true factors: per mode, (I_i × R), row-major. */
  factors: Float32Array[]
}

/**
 * The most entries, those for testing included: picking draws up to twice as many cells by a 32-bit counter.
 */
const MAX_ENTRIES = 2 ** 31

/** The smallest SNR, noise of 10¹⁵ times the signal: with more a float32 might overflow. */
const MIN_SNR_DB = -300

/**
 * Makes a synthetic problem: random nonnegative factors, and their product with noise at random cells. Throws
 * on options that make no tensor.
 */
export function synthetic(options: SyntheticOptions): SyntheticProblem {
  const { dims, entries, rank, snrDb = Infinity, seed = 1, testEntries = 0, onProgress } = options
  checkOptions(dims, entries, testEntries, rank, snrDb)
  checkSeed(seed)

  const factors = dims.map((dim, mode) => drawUniform(dim * rank, stream(seed, purpose.factors, mode)))
  const [observed, unseen] = pickCells(dims, [entries, testEntries], seed, (fraction) =>
    onProgress?.(0.7 * fraction),
  )
  const values = valuesAt(observed, factors, rank)
  onProgress?.(0.9)
  if (snrDb < Infinity) addNoise(values, snrDb, stream(seed, purpose.noise))
  const tensor = { dims, indices: observed, values }
  const test = { dims, indices: unseen, values: valuesAt(unseen, factors, rank) }
  onProgress?.(1)
  return { tensor, ...(testEntries > 0 ? { test } : {}), factors }
}

/** Throws if sizes, numbers of entries, rank or SNR make no synthetic problem. */
function checkOptions(
  dims: readonly number[],
  entries: number,
  testEntries: number,
  rank: number,
  snrDb: number,
): void {
  checkDims(dims)
  if (!Number.isInteger(rank) || rank < 1)
    throw new InputError('option', `The rank is ${rank}; it must be a whole number from 1.`)
  const longest = Math.max(...dims)
  if (longest * rank > 2 ** 32)
    throw new InputError(
      'memory',
      `A factor of ${longest} × ${rank} elements does not fit in memory; lower the rank.`,
    )
  if (!Number.isInteger(entries) || entries < 1)
    throw new InputError('option', `The number of entries is ${entries}; it must be a whole number from 1.`)
  if (!Number.isInteger(testEntries) || testEntries < 0)
    throw new InputError(
      'option',
      `The number of test entries is ${testEntries}; it must be a whole number from 0.`,
    )
  const wanted = entries + testEntries
  if (wanted > cellsOf(dims))
    throw new InputError(
      'option',
      `${wanted} entries, those for testing included, do not fit in the ${cellsOf(dims)} cells of a ` +
        `${dims.join(' × ')} tensor; ask for fewer.`,
    )
  if (wanted > MAX_ENTRIES)
    throw new InputError('memory', `${wanted} entries are too many; ask for at most ${MAX_ENTRIES}.`)
  if (!(snrDb >= MIN_SNR_DB))
    throw new InputError(
      'option',
      `The SNR is ${snrDb} dB; it must be a number from ${MIN_SNR_DB}, or Infinity for no noise.`,
    )
}

/** Returns i.i.d. U[0, 1] numbers. @param key the key of their stream */
function drawUniform(length: number, key: number): Float32Array {
  const numbers = float32Array(length)
  for (let j = 0; j < length; j++) numbers[j] = unit(draw(key, j))
  return numbers
}

/**
 * Returns X° at the given cells: the sum over r of the product of the factors' elements (i_1, r) … (i_N, r).
 * @param indices index columns of the cells
 */
function valuesAt(
  indices: readonly Uint32Array[],
  factors: readonly Float32Array[],
  rank: number,
): Float32Array {
  const order = indices.length
  const count = indices[0].length
  const values = float32Array(count)
  const rows = new Uint32Array(order) // where the factors' rows of an entry begin
  for (let e = 0; e < count; e++) {
    for (let mode = 0; mode < order; mode++) rows[mode] = indices[mode][e] * rank
    let sum = 0
    for (let r = 0; r < rank; r++) {
      let product = 1
      for (let mode = 0; mode < order; mode++) product *= factors[mode][rows[mode] + r]
      sum += product
    }
    values[e] = sum
  }
  return values
}

/**
 * Adds i.i.d. N(0, σ²) noise in place, with the σ for which the realised SNR is `snrDb`, up to float32
 * rounding.
 */
function addNoise(values: Float32Array, snrDb: number, key: number): void {
  const noise = new Float32Array(values.length)
  let signalEnergy = 0
  let noiseEnergy = 0
  for (let e = 0; e < values.length; e++) {
    noise[e] = normal(key, e)
    signalEnergy += values[e] ** 2
    noiseEnergy += noise[e] ** 2
  }
  const sigma = Math.sqrt(signalEnergy / noiseEnergy / 10 ** (snrDb / 10))
  for (let e = 0; e < values.length; e++) values[e] += sigma * noise[e]
}
