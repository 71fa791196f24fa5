/**
 * Variances of predictions where a prior was learned: rows are known up to their posterior covariance V
 * (docs/accuracy.md), and entries have noise. E[y²] = Σ_rs Π_j M_j[r, s], M = a aᵀ + V of the cell's rows, so
 * that the variance of y is E[y²] − (Σ_r Π_j a_j[r])².
 */
import { InputError } from '../base/inputError.ts'
import type { Observed } from '../tensor/index.ts'
import type { Factored, Prior } from './factored.ts'
import { uncertaintyOf } from './foldIn/uncertainty.ts'
import type { Link } from './predict/link.ts'

/** The variance of a prediction, in two parts that add up. */
export interface Variance {
  /** Variance of the expected value of the cell, due to the uncertainty of its rows. */
  model: number
  /** Variance of a value around its expectation: noise. */
  noise: number
}

/**
 * Makes a function that returns the variance at a cell, given by its indices. Throws unless the model has a
 * learned prior and statistics of its entries, and no modes were merged or split.
 */
export function varianceOf(
  model: Factored & { readonly prior?: Prior; readonly observed?: Observed },
): (cell: readonly number[]) => Variance {
  const { prior, observed, rank, factors, reshapedModes, link } = model
  if (prior?.kind !== 'learned' || !observed || reshapedModes)
    throw new InputError(
      'option',
      'What this model does not know of its rows is not known: it was learned without a prior, with modes merged or split, or by an older version.',
    )
  const uncertainty = uncertaintyOf(model, prior, observed.counts, link?.mean ?? observed.mean)
  const { sigma2, least } = prior
  const [c0, c1, c2] = prior.noise
  const product = new Float64Array(rank * rank)
  const terms = new Float64Array(rank)
  return (cell) => {
    product.fill(1)
    terms.fill(1)
    cell.forEach((row, mode) => {
      const V = uncertainty[mode].covariance(observed.counts[mode][row])
      const a = factors[mode].subarray(row * rank, (row + 1) * rank)
      for (let r = 0; r < rank; r++) {
        terms[r] *= a[r]
        for (let s = 0; s < rank; s++) product[r * rank + s] *= a[r] * a[s] + V[r * rank + s]
      }
    })
    const y = terms.reduce((sum, x) => sum + x, 0)
    const level = Math.max(y, least)
    const secondMoment = product.reduce((sum, x) => sum + x, 0)
    const variance = {
      model: Math.max(0, secondMoment - y * y),
      noise: sigma2 * (c0 + level * (c1 + level * c2)),
    }
    return link ? varianceInDataUnits(link, y, variance) : variance
  }
}

/**
 * Converts the variances of a normal variable around z, on the scale of a link, to data units: of its square,
 * or of its exponential. The part of the model is the variance of the expected value.
 */
function varianceInDataUnits({ name }: Link, z: number, { model: m, noise: v }: Variance): Variance {
  const ofSquare = (variance: number): number => 4 * z * z * variance + 2 * variance * variance
  const ofExponential = (variance: number): number => Math.exp(2 * z + m + v) * Math.expm1(variance)
  const total = name === 'sqrt' ? ofSquare(m + v) : ofExponential(m + v)
  const model = name === 'sqrt' ? ofSquare(m) : ofExponential(m)
  return { model, noise: total - model }
}
