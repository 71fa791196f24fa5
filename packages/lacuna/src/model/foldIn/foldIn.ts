/**
 * Fold-in: rows from new entries, without the entries that the model was trained on. A new row is solved as
 * the solver does, under the prior and with the other rows fixed: a = argmin ½ aᵀ(H + P)a − (b + P m)ᵀa over
 * a ≥ 0, with H = Σ w ⊙_j (a_j a_jᵀ + V_j), b = Σ w x k, P = σ²Σ⁻¹ and m = μ. An update also moves existing
 * rows: their n old entries are represented by P = n H̄ + σ²Σ⁻¹ and by m, the row as it was (uncertainty.ts).
 */
import { InputError } from '../../base/inputError.ts'
import { type Observed, observe, pickEntries, type SparseTensor } from '../../tensor/index.ts'
import type { Factored, Prior } from '../factored.ts'
import { countsBefore, mergeObserved } from '../predict/observedCells.ts'
import { dotRow } from '../predict/products.ts'
import { solveNonnegative } from './solveRow.ts'
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

/** Most sweeps over all solved rows, where they depend on each other. */
const MOST_SWEEPS = 20
/** Relative change of the rows in a sweep below which sweeps end. */
const SETTLED = 1e-4
/** Fraction of H's trace that is added to its diagonal, as in the solver, for rows without regularization. */
const RIDGE = 1e-7

/** Solves new rows, and with `update` existing ones, from new entries. */
export function foldInEntries({ model, entries: given, update }: FoldInInput): FoldInResult {
  const { rank, prior } = model
  const dims = given.dims.map((dim, mode) => Math.max(dim, model.dims[mode]))
  const before = countsBefore(model, dims)
  const isSolved = (mode: number, row: number): boolean => update || before[mode][row] === 0
  // Entries all of whose rows stay as they are have no influence.
  const informative = Uint32Array.from(given.values.keys()).filter((e) =>
    given.indices.some((column, mode) => isSolved(mode, column[e])),
  )
  const entries = { ...pickEntries(given, informative), dims }
  const fresh = observe(entries)
  const means = prior.means.map((mean) => Float64Array.from(mean))
  const factors = model.factors.map((factor, mode) => appendMeanRows(factor, dims[mode], rank, means[mode]))
  const anchors = update ? factors.map((factor) => factor.slice()) : factors
  if (update && !model.observed)
    throw new InputError(
      'format',
      'The model does not say how many entries its rows have had, so that new ones cannot be weighed against them; it was written by an older version: learn it anew.',
    )
  const work: Work = {
    ...{ rank, prior, factors, anchors, before, means, entries },
    counts: before.map((counts, mode) => counts.map((count, p) => count + fresh.counts[mode][p])),
    uncertainty: knownUncertainty(model, model.observed?.mean ?? fresh.mean),
  }
  const lists = dims.map((_, mode) => entriesByRow(entries.indices[mode]))
  const rows = lists.map((list, mode) =>
    [...list.keys()].filter((row) => isSolved(mode, row)).sort((a, b) => a - b),
  )
  const isCoupled = rows.filter(({ length }) => length > 0).length > 1 || prior.noise[1] + prior.noise[2] > 0
  for (let sweep = 0; sweep < (isCoupled ? MOST_SWEEPS : 1); sweep++) {
    let [moved, size] = [0, 0]
    rows.forEach((list, mode) => {
      const gram = prior.kind === 'zeros' ? gramOfOthers(work, mode) : undefined
      for (const row of list) {
        const step = solveRow(work, mode, row, lists[mode].get(row)!, gram)
        moved += step.moved
        size += step.size
      }
    })
    if (moved <= SETTLED ** 2 * size) break
  }
  for (const factor of factors) for (let at = 0; at < factor.length; at++) factor[at] = finite(factor[at])
  const unobserved = dims.map((dim, mode) => {
    const unseen = new Set(model.unobserved[mode])
    for (let row = model.dims[mode]; row < dim; row++) unseen.add(row)
    for (const row of rows[mode]) unseen.delete(row)
    return Uint32Array.from([...unseen].sort((a, b) => a - b))
  })
  const { observed: old } = model
  const observed = old && mergeObserved({ ...model, observed: old }, fresh, dims, isSolved)
  return { dims, factors, unobserved, rows, ...(observed && { observed }) }
}

/** Uncertainties that were computed before, by prior: they are the same for all fold-ins into a model. */
const known = new WeakMap<Prior, { of: Factored['factors']; found: readonly Uncertainty[] }>()

function knownUncertainty(model: FoldInInput['model'], mean: number): readonly Uncertainty[] {
  const before = known.get(model.prior)
  if (before?.of === model.factors) return before.found
  const found = uncertaintyOf(model, model.prior, countsBefore(model, model.dims), mean)
  known.set(model.prior, { of: model.factors, found })
  return found
}

interface Work {
  rank: number
  prior: Prior
  factors: readonly Float32Array[]
  /** Rows as they were, which their old entries draw them to. */
  anchors: readonly Float32Array[]
  /** Per mode, the entries of each row before. */
  before: readonly Uint32Array[]
  /** Per mode, the entries of each row now. */
  counts: readonly Uint32Array[]
  means: readonly Float64Array[]
  entries: SparseTensor
  uncertainty: readonly Uncertainty[]
}

function solveRow(
  work: Work,
  mode: number,
  row: number,
  list: readonly number[],
  gram: Float64Array | undefined,
): { moved: number; size: number } {
  const { rank, prior, factors, anchors, before, means, uncertainty } = work
  const a = Float64Array.from(factors[mode].subarray(row * rank, (row + 1) * rank))
  const { S, b } = sumsOf(work, mode, list, a, gram !== undefined)
  const n = before[mode][row]
  const { perEntry, prior: held } = uncertainty[mode]
  const anchor = n > 0 ? anchors[mode].subarray(row * rank, (row + 1) * rank) : means[mode]
  let trace = 0
  for (let r = 0; r < rank; r++) trace += S[r * rank + r]
  for (let r = 0; r < rank; r++) {
    for (let s = 0; s < rank; s++) {
      const at = r * rank + s
      const P = gram ? gram[at] : held[at] + n * perEntry[at]
      S[at] += P
      // Where unlisted cells are zeros, a new row begins with zeros only; an old one with its old entries.
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
 * H and b over the entries of a row; H stays zero where unlisted cells are zeros, as the Gram matrix of all
 * cells replaces it.
 */
function sumsOf(
  { rank, prior, factors, counts, entries, uncertainty }: Work,
  mode: number,
  list: readonly number[],
  a: Float64Array,
  isListed: boolean,
): { S: Float64Array; b: Float64Array } {
  const S = new Float64Array(rank * rank)
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
    const w = isListed ? 1 : isWeighted ? weightAt(prior, dotRow(k, row32, 0)) : weightAt(prior, 0)
    for (let r = 0; r < rank; r++) b[r] += w * x * k[r]
    if (isListed) continue
    product.fill(w)
    factors.forEach((factor, j) => {
      if (j === mode) return
      const p = entries.indices[j][e]
      const start = p * rank
      const V = uncertainty[j].of(counts[j][p])
      for (let r = 0; r < rank; r++)
        for (let s = 0; s < rank; s++)
          product[r * rank + s] *= factor[start + r] * factor[start + s] + V[r * rank + s]
    })
    for (let at = 0; at < S.length; at++) S[at] += product[at]
  }
  return { S, b }
}

/** Σ k kᵀ over all cells of a row: the elementwise product of the other factors' Gram matrices. */
function gramOfOthers({ rank, factors }: Work, mode: number): Float64Array {
  const gram = new Float64Array(rank * rank).fill(1)
  factors.forEach((factor, j) => {
    if (j === mode) return
    const own = new Float64Array(rank * rank)
    for (let start = 0; start < factor.length; start += rank)
      for (let r = 0; r < rank; r++)
        for (let s = 0; s < rank; s++) own[r * rank + s] += factor[start + r] * factor[start + s]
    for (let at = 0; at < gram.length; at++) gram[at] *= own[at]
  })
  return gram
}

function entriesByRow(column: Uint32Array): Map<number, number[]> {
  const lists = new Map<number, number[]>()
  for (let e = 0; e < column.length; e++) {
    const list = lists.get(column[e])
    if (list) list.push(e)
    else lists.set(column[e], [e])
  }
  return lists
}

/** The factor with new rows, which begin as the mean. */
function appendMeanRows(factor: Float32Array, rows: number, rank: number, mean: Float64Array): Float32Array {
  const larger = new Float32Array(rows * rank)
  for (let start = factor.length; start < larger.length; start += rank) larger.set(mean, start)
  larger.set(factor)
  return larger
}

const finite = (x: number): number => Math.min(x, 3.4028234663852886e38)
