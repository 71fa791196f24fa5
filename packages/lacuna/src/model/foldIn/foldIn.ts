/**
 * New entries, without those that a model was learned from. A row that is new to the model is solved as the solver
 * does, under what was learned of rows, the others being fixed: a = argmin ½ aᵀ(H + P)a − (b + P m)ᵀa over a ≥ 0,
 * with H = Σ w ⊙_j (a_j a_jᵀ + V_j), b = Σ w x k, P = σ²Σ⁻¹ and m = μ. In an update rows that are known move, too:
 * what their n old entries have said stands for them, P = n H̄ + σ²Σ⁻¹ and m the row as it was (uncertainty.ts).
 */
import { InputError } from '../../base/inputError.ts'
import { type Observed, observe, pickEntries, type SparseTensor } from '../../tensor/index.ts'
import type { Factored, Prior } from '../factored.ts'
import { countsBefore, mergeObserved } from '../predict/observedCells.ts'
import { dotRow } from '../predict/products.ts'
import { solveNonnegative } from './solveRow.ts'
import { type Uncertainty, uncertaintyOf, weightAt } from './uncertainty.ts'

export interface FoldInInput {
  model: Factored & { observed?: Observed; unobserved: readonly Uint32Array[]; prior: Prior }
  /** Aligned to the model: indices beyond its sizes are new rows. */
  entries: SparseTensor
  /** Whether rows that the model knows learn from the entries as well. */
  update: boolean
}

export interface FoldInResult {
  dims: readonly number[]
  factors: Float32Array[]
  /** Undefined where the model does not say what it has seen. */
  observed?: Observed
  unobserved: Uint32Array[]
  /** Per mode, the rows that were solved for. */
  rows: readonly (readonly number[])[]
}

/** Where rows depend on each other, so often over all of them, or until they hardly move. */
const MOST_SWEEPS = 20
const SETTLED = 1e-4
/** As the solver has it: so much of H's trace is added to the diagonal, for rows that nothing holds. */
const RIDGE = 1e-7

export function foldInEntries({ model, entries: given, update }: FoldInInput): FoldInResult {
  const { rank, prior } = model
  const dims = given.dims.map((dim, mode) => Math.max(dim, model.dims[mode]))
  const before = countsBefore(model, dims)
  const isSolved = (mode: number, row: number): boolean => update || before[mode][row] === 0
  // What speaks of known rows alone says nothing of new ones.
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

/** What is known of a model's rows is the same for all that is folded into it. */
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
  /** Rows as they were, which what is already known draws them to. */
  anchors: readonly Float32Array[]
  /** Per mode and row, how many entries it had, and has now. */
  before: readonly Uint32Array[]
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
      // Of zeros a new row has none to begin with; an old one has what its entries were.
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

/** H (none where all cells count already) and b over the entries of a row. */
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

/** New rows begin as the mean. */
function appendMeanRows(factor: Float32Array, rows: number, rank: number, mean: Float64Array): Float32Array {
  const larger = new Float32Array(rows * rank)
  for (let start = factor.length; start < larger.length; start += rank) larger.set(mean, start)
  larger.set(factor)
  return larger
}

const finite = (x: number): number => Math.min(x, 3.4028234663852886e38)
