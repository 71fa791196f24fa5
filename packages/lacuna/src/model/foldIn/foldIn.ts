/**
 * Fold-in: rows from new entries, without the entries that the model was trained on. A new row is solved as
 * the solver does, under the prior and with the other rows fixed: a = argmin ½ aᵀ(H + P)a − (b + P m)ᵀa over
 * a ≥ 0, with H = Σ w ⊙_j (a_j a_jᵀ + V_j), b = Σ w x k, P = σ²Σ⁻¹ and m = μ. An update also moves existing
 * rows: their n old entries are represented by P = n H̄ + σ²Σ⁻¹ and by m, the row as it was (uncertainty.ts).
 */
import { InputError } from '../../base/inputError.ts'
import { type Observed, observe, pickEntries, type SparseTensor, sortInCOrder } from '../../tensor/index.ts'
import type { Factored, Prior } from '../factored.ts'
import { linkTensor } from '../predict/link.ts'
import { dotRow } from '../predict/products.ts'
import { solveNonnegative } from './solveRow.ts'
import { mergeObserved, trainingCounts } from './trainingStatistics.ts'
import { type Uncertainty, uncertaintyOf, weightAt } from './uncertainty.ts'

/** A model and the entries to fold in. */
export interface FoldInInput {
  /** The model, with a prior. */
  model: Factored & { observed?: Observed; unobserved: readonly Uint32Array[]; prior: Prior }
  /** New entries, aligned to the model: indices beyond its sizes are new rows. */
  entries: SparseTensor
  /** Whether existing rows are updated, too. */
  update: boolean
}

/** The model's fields after fold-in. */
export interface FoldInResult {
  /** Sizes of the modes with new rows. */
  dims: readonly number[]
  /** Factors with new rows. */
  factors: Float32Array[]
  /** Statistics of old and new entries; undefined where the model has none. */
  observed?: Observed
  /** Per mode, rows without entries. */
  unobserved: Uint32Array[]
  /** Per mode, the rows that were solved. */
  rows: readonly (readonly number[])[]
}

/** Most sweeps over all solved rows, if these depend on each other; else there is one. */
const MOST_SWEEPS = 20
/** Relative change of the rows in a sweep below which sweeps end. */
const TOLERANCE = 1e-4
/** Fraction of H's trace that is added to its diagonal, as in the solver, for rows without regularization. */
const RIDGE = 1e-7

/**
 * Solves new rows, and with `update` existing ones, from new entries; the model is not modified. Throws if
 * rows are to be updated and the model does not store the number of their entries.
 */
export function foldInEntries({ model, entries: given, update }: FoldInInput): FoldInResult {
  const { rank, prior } = model
  const dims = given.dims.map((dim, mode) => Math.max(dim, model.dims[mode]))
  const oldCounts = trainingCounts(model, dims)
  const isSolved = (mode: number, row: number): boolean => update || oldCounts[mode][row] === 0
  // Entries all of whose rows stay as they are have no influence.
  const informative = Uint32Array.from(given.values.keys()).filter((e) =>
    given.indices.some((column, mode) => isSolved(mode, column[e])),
  )
  // Sums are made in C order, so that the rows do not depend on the order of the input.
  const entries = sortInCOrder({ ...pickEntries(given, informative), dims })
  const fresh = observe(entries)
  const linked = linkTensor(entries, model.link?.name ?? 'identity')
  const means = prior.means.map((mean) => Float64Array.from(mean))
  const factors = model.factors.map((factor, mode) => appendMeanRows(factor, dims[mode], rank, means[mode]))
  const anchors = update ? factors.map((factor) => factor.slice()) : factors
  if (update && !model.observed)
    throw new InputError(
      'format',
      'The model does not say how many entries its rows have had, so that new ones cannot be weighed against them; it was written by an older version: learn it anew.',
    )
  const state: State = {
    ...{ rank, prior, factors, anchors, oldCounts, means },
    entries: linked,
    counts: oldCounts.map((counts, mode) => counts.map((count, p) => count + fresh.counts[mode][p])),
    uncertainty: cachedUncertainty(model, model.link?.mean ?? model.observed?.mean ?? fresh.mean),
  }
  const lists = dims.map((_, mode) => entriesByRow(entries.indices[mode]))
  const rows = lists.map((list, mode) =>
    [...list.keys()].filter((row) => isSolved(mode, row)).sort((a, b) => a - b),
  )
  const isCoupled = rows.filter(({ length }) => length > 0).length > 1 || prior.noise[1] + prior.noise[2] > 0
  for (let sweep = 0; sweep < (isCoupled ? MOST_SWEEPS : 1); sweep++) {
    let [moved, size] = [0, 0]
    rows.forEach((list, mode) => {
      const gram = prior.kind === 'zeros' ? gramOfOthers(state, mode) : undefined
      for (const row of list) {
        const step = updateRow(state, mode, row, lists[mode].get(row)!, gram)
        moved += step.moved
        size += step.size
      }
    })
    if (moved <= TOLERANCE ** 2 * size) break
  }
  for (const factor of factors)
    for (let at = 0; at < factor.length; at++) factor[at] = capToFloat32(factor[at])
  const unobserved = dims.map((dim, mode) => {
    const unseen = new Set(model.unobserved[mode])
    for (let row = model.dims[mode]; row < dim; row++) unseen.add(row)
    for (const row of rows[mode]) unseen.delete(row)
    return Uint32Array.from([...unseen].sort((a, b) => a - b))
  })
  const { observed: old } = model
  const observed = old && mergeObserved({ ...model, observed: old }, fresh, dims, isSolved)
  return { dims, factors, unobserved, rows, observed }
}

/** Cache of `uncertaintyOf`, by prior and factors: it is the same for all fold-ins into a model. */
const uncertaintyCache = new WeakMap<
  Prior,
  { factors: Factored['factors']; uncertainty: readonly Uncertainty[] }
>()

/** Per mode, the uncertainty of the model's rows, cached. @param mean of the training values, on the scale of the link */
function cachedUncertainty(model: FoldInInput['model'], mean: number): readonly Uncertainty[] {
  const cached = uncertaintyCache.get(model.prior)
  if (cached?.factors === model.factors) return cached.uncertainty
  const computed = uncertaintyOf(model, model.prior, trainingCounts(model, model.dims), mean)
  uncertaintyCache.set(model.prior, { factors: model.factors, uncertainty: computed })
  return computed
}

/** The factors that are solved, and what they are solved from. */
interface State {
  rank: number
  prior: Prior
  /** The factors with new rows; solved rows are written in place. */
  factors: readonly Float32Array[]
  /** With `update`: the rows before the update, towards which their old entries draw them. */
  anchors: readonly Float32Array[]
  /** Per mode, the old entries of each row. */
  oldCounts: readonly Uint32Array[]
  /** Per mode, the old and new entries of each row. */
  counts: readonly Uint32Array[]
  /** Per mode, the mean row (R) of the prior. */
  means: readonly Float64Array[]
  /** The new entries, on the scale of the model's link. */
  entries: SparseTensor
  /** Per mode, the uncertainty of its rows. */
  uncertainty: readonly Uncertainty[]
}

/**
 * Solves a row from its new entries with all other rows fixed, and writes it to the factor. Returns the
 * squared length of its change (moved) and of the row (size).
 * @param list numbers of the row's new entries
 * @param gram Σ k kᵀ over all cells of the row where unlisted cells are zeros; else undefined
 */
function updateRow(
  state: State,
  mode: number,
  row: number,
  list: readonly number[],
  gram: Float64Array | undefined,
): { moved: number; size: number } {
  const { rank, prior, factors, anchors, oldCounts, means, uncertainty } = state
  const a = Float64Array.from(factors[mode].subarray(row * rank, (row + 1) * rank))
  // H, to which P and the ridge are added in place.
  const { H: S, b } = sumsOf(state, mode, list, a, gram !== undefined)
  const n = oldCounts[mode][row]
  const { perEntry, prior: priorPrecision } = uncertainty[mode]
  const anchor = n > 0 ? anchors[mode].subarray(row * rank, (row + 1) * rank) : means[mode]
  let trace = 0
  for (let r = 0; r < rank; r++) trace += S[r * rank + r]
  for (let r = 0; r < rank; r++) {
    for (let s = 0; s < rank; s++) {
      const at = r * rank + s
      const P = gram ? gram[at] : priorPrecision[at] + n * perEntry[at]
      S[at] += P
      // With missing: 'zero', a new row begins with zeros only; an old one with its old entries.
      b[r] += gram && n === 0 ? 0 : P * anchor[s]
    }
    S[r * rank + r] += RIDGE * (trace || S[r * rank + r]) + Number.MIN_VALUE
  }
  if (prior.kind === 'zeros' && n === 0) a.fill(0)
  solveNonnegative(S, b, a)
  let [moved, size] = [0, 0]
  for (let r = 0; r < rank; r++) {
    moved += (a[r] - factors[mode][row * rank + r]) ** 2
    size += a[r] ** 2
    factors[mode][row * rank + r] = a[r]
  }
  return { moved, size }
}

/**
 * H (R × R) and b (R) over the new entries of a row. Where unlisted cells are zeros, H stays zero, as the
 * Gram matrix of all cells replaces it, and entries have weight 1.
 * @param list numbers of the row's new entries
 * @param a the row, which the weights of its entries may depend on
 */
function sumsOf(
  { rank, prior, factors, counts, entries, uncertainty }: State,
  mode: number,
  list: readonly number[],
  a: Float64Array,
  unlistedAreZero: boolean,
): { H: Float64Array; b: Float64Array } {
  const H = new Float64Array(rank * rank)
  const b = new Float64Array(rank)
  const k = new Float64Array(rank)
  const product = new Float64Array(rank * rank)
  const isWeighted = prior.noise[1] > 0 || prior.noise[2] > 0
  const row32 = Float32Array.from(a)
  for (const e of list) {
    k.fill(1)
    factors.forEach((factor, j) => {
      if (j === mode) return
      const start = entries.indices[j][e] * rank
      for (let r = 0; r < rank; r++) k[r] *= factor[start + r]
    })
    const x = entries.values[e]
    const w = unlistedAreZero ? 1 : isWeighted ? weightAt(prior, dotRow(k, row32, 0)) : weightAt(prior, 0)
    for (let r = 0; r < rank; r++) b[r] += w * x * k[r]
    if (unlistedAreZero) continue
    product.fill(w)
    factors.forEach((factor, j) => {
      if (j === mode) return
      const p = entries.indices[j][e]
      const start = p * rank
      const V = uncertainty[j].covariance(counts[j][p])
      for (let r = 0; r < rank; r++)
        for (let s = 0; s < rank; s++)
          product[r * rank + s] *= factor[start + r] * factor[start + s] + V[r * rank + s]
    })
    for (let at = 0; at < H.length; at++) H[at] += product[at]
  }
  return { H, b }
}

/**
 * Σ k kᵀ (R × R) over all cells of a row of `mode`: the elementwise product of the other factors' Gram
 * matrices.
 */
function gramOfOthers({ rank, factors }: State, mode: number): Float64Array {
  const gram = new Float64Array(rank * rank).fill(1)
  factors.forEach((factor, j) => {
    if (j === mode) return
    const factorGram = new Float64Array(rank * rank)
    for (let start = 0; start < factor.length; start += rank)
      for (let r = 0; r < rank; r++)
        for (let s = 0; s < rank; s++) factorGram[r * rank + s] += factor[start + r] * factor[start + s]
    for (let at = 0; at < gram.length; at++) gram[at] *= factorGram[at]
  })
  return gram
}

/** Maps each row to the numbers of its entries, ascending. @param column the row of each entry */
function entriesByRow(column: Uint32Array): Map<number, number[]> {
  const lists = new Map<number, number[]>()
  for (let e = 0; e < column.length; e++) {
    const list = lists.get(column[e])
    if (list) list.push(e)
    else lists.set(column[e], [e])
  }
  return lists
}

/** Returns a copy of a factor with this many rows; new ones are the mean row (R). */
function appendMeanRows(factor: Float32Array, rows: number, rank: number, mean: Float64Array): Float32Array {
  const larger = new Float32Array(rows * rank)
  for (let start = factor.length; start < larger.length; start += rank) larger.set(mean, start)
  larger.set(factor)
  return larger
}

/** Limits a number to the largest float32. */
const capToFloat32 = (x: number): number => Math.min(x, 3.4028234663852886e38)
