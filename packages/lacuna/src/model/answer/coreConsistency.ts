/**
 * Core consistency (Bro and Kiers 2003): a core G may join any component of one mode with any of another.
 * Fitted to the data beside a model's factors, it joins each component with itself alone, if the data are of
 * the model's form. 1 − Σ (G − I)² / R is then 1; it falls to 0 and below where components are too many and
 * explain between them what is not.
 *
 * The core is the least squares one over the entries, X ≈ G ×₁ A₁ … ×_N A_N. Its normal equations would have
 * R^N × R^N numbers; they are taken as if cells were observed independently, with chances in proportion to
 * the entries of their rows: G − I = Σ_e r_e ⊗_j (A_jᵀ D_j A_j)⁻¹ a_j / density, with residuals r, and D the
 * entries of rows relative to their mean.
 */
import type { SparseTensor } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import { invertSymmetric } from '../foldIn/solveRow.ts'

/** Most products (entries × R^N), about a second of work; above, the core consistency is not computed. */
const MOST_WORK = 2e8
/** Components smaller than this fraction of the largest one are left out. */
const LEAST_SIZE = 1e-3

/**
 * The core consistency of a model, at most 1; undefined where it would take long, modes were merged or split,
 * or there are no entries or components.
 */
export function coreConsistencyOf(model: CpModel, { indices, values }: SparseTensor): number | undefined {
  const { dims, rank, factors, reshapedModes } = model
  if (reshapedModes || values.length === 0) return undefined
  const columns = nonvanishingColumns(rank, factors)
  const R = columns.length
  const size = R ** dims.length
  if (R === 0 || size * values.length > MOST_WORK) return undefined
  const density = dims.reduce((quotient, dim) => quotient / dim, values.length)
  const duals = factors.map((factor, mode) =>
    dualRows(balanceColumns(factor, rank, columns, factors), R, indices[mode]),
  )
  const predictions = model.predictMany(indices, { clip: false })
  const core = new Float64Array(size)
  // Products over all modes but the last, whose own goes straight into the core.
  const terms = new Float64Array(size / R)
  const last = dims.length - 1
  for (let e = 0; e < values.length; e++) {
    terms[0] = (values[e] - predictions[e]) / density
    let filled = 1
    for (let mode = 0; mode < last; mode++) {
      const dual = duals[mode]
      const start = indices[mode][e] * R
      for (let at = filled - 1; at >= 0; at--)
        for (let r = R - 1; r >= 0; r--) terms[at * R + r] = terms[at] * dual[start + r]
      filled *= R
    }
    const own = duals[last].subarray(indices[last][e] * R, (indices[last][e] + 1) * R)
    for (let at = 0, to = 0; at < filled; at++) {
      const term = terms[at]
      for (let r = 0; r < R; r++, to++) core[to] += term * own[r]
    }
  }
  const consistency = 1 - core.reduce((sum, x) => sum + x * x, 0) / R
  return Number.isFinite(consistency) ? consistency : undefined
}

/** The Euclidean length of each column of a factor (R). */
function lengthsOf(factor: Float32Array, rank: number): Float64Array {
  const squares = new Float64Array(rank)
  factor.forEach((x, at) => {
    squares[at % rank] += x * x
  })
  return squares.map(Math.sqrt)
}

/** The size of each component (R): the product over all modes of the lengths of its columns. */
const componentSizes = (factors: readonly Float32Array[], rank: number): Float64Array =>
  factors.reduce((product, factor) => {
    const lengths = lengthsOf(factor, rank)
    return product.map((x, r) => x * lengths[r])
  }, new Float64Array(rank).fill(1))

/** The components, ascending, that are not zero and not below LEAST_SIZE of the largest one. */
function nonvanishingColumns(rank: number, factors: readonly Float32Array[]): number[] {
  const sizes = componentSizes(factors, rank)
  const least = LEAST_SIZE * Math.max(...sizes)
  return Array.from(sizes.keys()).filter((r) => sizes[r] > 0 && sizes[r] >= least)
}

/**
 * Copies the given columns of a factor (I × columns), rescaled so that a component's columns are equally long
 * in all modes: the core depends on how a component's size is spread over them.
 * @param factors all factors of the model
 */
function balanceColumns(
  factor: Float32Array,
  rank: number,
  columns: readonly number[],
  factors: readonly Float32Array[],
): Float64Array {
  const lengths = lengthsOf(factor, rank)
  const sizes = componentSizes(factors, rank)
  const rows = factor.length / rank
  const own = new Float64Array(rows * columns.length)
  columns.forEach((r, column) => {
    const unit = sizes[r] ** (1 / factors.length) / lengths[r]
    for (let row = 0; row < rows; row++) own[row * columns.length + column] = unit * factor[row * rank + r]
  })
  return own
}

/**
 * A (Aᵀ D A)⁻¹ for a factor A (I × R), row-major; D are the entries of rows relative to their mean.
 * @param rowOf the row of each entry
 */
function dualRows(factor: Float64Array, R: number, rowOf: Uint32Array): Float64Array {
  const rows = factor.length / R
  const weights = new Float64Array(rows)
  for (const row of rowOf) weights[row] += rows / rowOf.length
  const gram = new Float64Array(R * R)
  for (let row = 0; row < rows; row++)
    for (let r = 0; r < R; r++) {
      const x = weights[row] * factor[row * R + r]
      if (x !== 0) for (let s = 0; s < R; s++) gram[r * R + s] += x * factor[row * R + s]
    }
  const inverse = invertSymmetric(gram, R)
  const duals = new Float64Array(factor.length)
  for (let row = 0; row < rows; row++)
    for (let r = 0; r < R; r++) {
      let sum = 0
      for (let s = 0; s < R; s++) sum += inverse[r * R + s] * factor[row * R + s]
      duals[row * R + r] = sum
    }
  return duals
}
