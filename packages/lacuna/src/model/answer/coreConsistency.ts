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
import { type SparseTensor, sortInCOrder } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import { invertSymmetric } from '../foldIn/solveRow.ts'
import { type FoldKernel, useKernel } from '../foldKernel.ts'
import { linkTensor } from '../predict/link.ts'

/** Most products (`coreWork`), a fraction of a second; above, the core consistency is not computed. */
const MOST_WORK = 2e8
/** Components smaller than this fraction of the largest one are left out. */
const LEAST_SIZE = 1e-3

/**
 * The core consistency of a model, at most 1; undefined where it would take long, modes were merged or split,
 * or there are no entries or components.
 */
export function coreConsistencyOf(model: CpModel, given: SparseTensor): number | undefined {
  const { dims, rank, factors, reshapedModes } = model
  if (reshapedModes || given.values.length === 0) return undefined
  const lengths = factors.map((factor) => lengthsOf(factor, rank))
  const sizes = componentSizes(lengths, rank)
  const columns = nonvanishingColumns(sizes)
  const R = columns.length
  if (R === 0 || coreWork(dims, given.values.length, R) > MOST_WORK) return undefined
  const { indices, values } = linkTensor(sortInCOrder(given), model.link?.name ?? 'identity')
  const density = dims.reduce((quotient, dim) => quotient / dim, values.length)
  const duals = factors.map((factor, mode) =>
    dualRows(balanceColumns(factor, lengths[mode], sizes, columns, factors.length), R, indices[mode]),
  )
  // The core explains the values as the factors do: on the scale of the link, if there is one.
  const squares = useKernel((kernel) => {
    const entries = kernel.putAll(indices)
    const products = kernel.products(model, entries, values.length)
    const residuals = new Float32Array(kernel.doubles(products, values.length))
    for (let e = 0; e < values.length; e++) residuals[e] = (values[e] - residuals[e]) / density
    const core = multiplyModes(kernel, entries, kernel.put(residuals), values.length, duals, R)
    return core.reduce((sum, x) => sum + x * x, 0)
  })
  const consistency = 1 - squares / R
  return Number.isFinite(consistency) ? consistency : undefined
}

/**
 * Products, about, that the core takes: R per entry, and R² … R^N for the rows of each mode but the last in
 * turn, of which there are no more than entries.
 */
export function coreWork(dims: readonly number[], entries: number, R: number): number {
  let work = entries * R
  let groups = 1
  for (let mode = 0; mode < dims.length - 1; mode++) {
    groups = Math.min(entries, groups * dims[mode])
    work += groups * R ** (dims.length - mode)
  }
  return work
}

/**
 * Multiplies a sparse tensor by a matrix in every mode: Σ_e x_e d₁[i₁] ⊗ … ⊗ d_N[i_N], (R × … × R).
 * @param columns address of the table of columns of the entries' indices, in C order
 * @param values address of x of each entry
 * @param matrices d (I × R) of each mode
 */
function multiplyModes(
  kernel: FoldKernel,
  columns: number,
  values: number,
  count: number,
  matrices: readonly Float64Array[],
  R: number,
): Float64Array {
  const order = matrices.length
  // The sums over entries that have the first 0, 1 … N − 1 indices in common, and a single value.
  const sums = Array.from({ length: order + 1 }, (_, mode) => kernel.allocate(8 * R ** (order - mode)))
  const tables = { matrices: kernel.putAll(matrices), sums: kernel.put(Uint32Array.from(sums)) }
  kernel.run.multiplyModes(columns, order, values, count, tables.matrices, R, tables.sums)
  return kernel.doubles(sums[0], R ** order)
}

/** The Euclidean length of each column of a factor (R). */
function lengthsOf(factor: Float32Array, rank: number): Float64Array {
  const squares = new Float64Array(rank)
  for (let start = 0; start < factor.length; start += rank)
    for (let r = 0; r < rank; r++) squares[r] += factor[start + r] * factor[start + r]
  return squares.map(Math.sqrt)
}

/**
 * The size of each component (R): the product over all modes of the lengths of its columns.
 * @param lengths per mode, of the columns (R)
 */
const componentSizes = (lengths: readonly Float64Array[], rank: number): Float64Array =>
  lengths.reduce((product, ofMode) => product.map((x, r) => x * ofMode[r]), new Float64Array(rank).fill(1))

/** The components, ascending, that are not zero and not below LEAST_SIZE of the largest one. */
function nonvanishingColumns(sizes: Float64Array): number[] {
  const least = LEAST_SIZE * Math.max(...sizes)
  return Array.from(sizes.keys()).filter((r) => sizes[r] > 0 && sizes[r] >= least)
}

/**
 * Copies the given columns of a factor (I × columns), rescaled so that a component's columns are equally long
 * in all modes: the core depends on how a component's size is spread over them.
 * @param lengths of the factor's columns (R)
 * @param sizes of the components (R)
 */
function balanceColumns(
  factor: Float32Array,
  lengths: Float64Array,
  sizes: Float64Array,
  columns: readonly number[],
  order: number,
): Float64Array {
  const rank = lengths.length
  const rows = factor.length / rank
  const own = new Float64Array(rows * columns.length)
  columns.forEach((r, column) => {
    const unit = sizes[r] ** (1 / order) / lengths[r]
    for (let row = 0; row < rows; row++) own[row * columns.length + column] = unit * factor[row * rank + r]
  })
  return own
}

/**
 * A (Aᵀ D A)⁻¹ for a factor A (I × R), row-major; D is the diagonal matrix of the numbers of entries of the rows, divided
 * by their mean.
 * @param rowOf the row of each entry
 */
function dualRows(factor: Float64Array, R: number, rowOf: Uint32Array): Float64Array {
  const rows = factor.length / R
  const weights = new Float64Array(rows)
  for (let e = 0; e < rowOf.length; e++) weights[rowOf[e]] += rows / rowOf.length
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
