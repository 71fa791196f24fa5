import type { SparseTensor } from '../tensor/index.ts'

/** λ never outweighs the entries: beyond about this share of what they say it would prune components. */
const MOST_OF_EVIDENCE = 0.1
/** See below; 2 to 4 are best at 10 and 20 dB and on images (docs/solver.md). */
const CAUTION = 3

/**
 * λ from the data. If the entries had noise of variance σ² around the model, and the factors' elements were drawn
 * around zero with variance τ², the most probable factors would minimise the cost with λ = σ²/τ². Nonnegative ones vary
 * less around their mean than around zero, so CAUTION times as much is asked for. σ² is estimated by the error
 * itself, as it falls: without noise λ goes to zero with it, in noise it stays where it is needed.
 *
 * τ² is that of random factors of the data's size (initial.ts), seen after balancing, which makes Σ‖U⁽ⁱ⁾‖² N times the
 * geometric instead of the arithmetic mean of the row counts. Fixed, not estimated: an estimate that shrinks with
 * the factors would raise λ and shrink them further.
 */
export function lambdaRule({ dims, values }: SparseTensor, rank: number): (rmse: number) => number {
  const N = dims.length
  const rows = dims.reduce((sum, dim) => sum + dim, 0)
  let [sum, squares] = [0, 0]
  for (const x of values) {
    sum += Math.abs(x)
    squares += x * x
  }
  const mean = sum / values.length
  const variance = Math.max(0, squares / values.length - mean * mean)
  if (mean === 0) return () => 0
  const tau2 = (4 / 3) * (mean / rank) ** (2 / N)
  const geometric = N * Math.exp(dims.reduce((sum, dim) => sum + Math.log(dim), 0) / N)
  const others = dims.reduce((product, dim) => product * dim, 1)
  // Fitting p parameters takes the noise of about p entries along; half of the entries are never given up.
  const free = values.length - Math.min(rows * rank, values.length / 2)
  // What the entries of a row of the longest mode say about a component, Σ k_r², for factors of that size.
  const evidence = (values.length * tau2 ** (N - 1) * (geometric / N) ** (N - 1)) / others
  return (rmse) => {
    const sigma2 = Math.min(variance, (rmse * rmse * values.length) / free)
    return Math.min((CAUTION * (sigma2 / tau2) * rows) / geometric, MOST_OF_EVIDENCE * evidence)
  }
}
