/** Checks of a model: residuals, calibration, leverage, core consistency, and stability over folds. */
import { CpModel, type SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import { componentShares, coreConsistencyOf, factorView, rowsOfUnit } from 'lacuna/internal'
import type { Validation } from '../../answers.ts'
import type { RowNames } from './rowNames.ts'

/** Most entries that are examined; of more, every n-th is taken. */
const MOST_ENTRIES = 200_000
/** The number of bins of the histogram of residuals. */
const BINS = 31
/** The number of groups of similar predictions. */
const GROUPS = 10
/** The number of entries with the largest residuals, and of rows with the largest leverage, that are listed. */
const LISTED = 8

/**
 * Checks a model on held-out entries if there are any, else on those that it was learned from.
 * @returns undefined if there are no entries
 */
export function validateModel(
  model: CpModel | CpEnsemble,
  names: RowNames,
  data: SparseTensor | undefined,
  heldOut: SparseTensor | undefined,
): Validation | undefined {
  const isHeldOut = heldOut !== undefined && heldOut.values.length > 0
  const entries = isHeldOut ? heldOut : data
  if (!entries || entries.values.length === 0) return undefined
  const sample = thinEntries(entries, MOST_ENTRIES)
  const predicted = model.predictMany(sample.indices)
  const residuals = sample.values.map((x, e) => x - predicted[e])
  return {
    of: isHeldOut ? 'held-out' : 'training',
    entries: sample.values.length,
    rmse: Math.sqrt(residuals.reduce((sum, r) => sum + r * r, 0) / residuals.length),
    residuals: histogramOf(residuals),
    calibration: calibrate(predicted, sample.values),
    worst: largestBySize(residuals, LISTED).map((e) => ({
      labels: sample.indices.map((column, mode) => names.text(mode, column[e])),
      observed: sample.values[e],
      predicted: predicted[e],
      residual: residuals[e],
    })),
    leverage: leverageOf(model, names),
    coreConsistency: model instanceof CpModel && data ? coreConsistencyOf(model, data) : undefined,
    stability: model instanceof CpModel ? undefined : stabilityOf(model),
  }
}

/** Every n-th entry of a tensor, so that there are at most `most`. */
export function thinEntries(
  { indices, values }: SparseTensor,
  most: number,
): { indices: Uint32Array[]; values: Float32Array } {
  const step = Math.ceil(values.length / most)
  const isTaken = (_: number, e: number): boolean => e % step === 0
  return { indices: indices.map((column) => column.filter(isTaken)), values: values.filter(isTaken) }
}

/** A histogram that is symmetric around 0 and holds all but the outermost 0.5% in its inner bins. */
export function histogramOf(residuals: Float32Array): Validation['residuals'] {
  const sizes = residuals.map(Math.abs).sort()
  const end = sizes[Math.min(sizes.length - 1, Math.floor(0.995 * sizes.length))] || 1
  const counts = new Uint32Array(BINS)
  for (const r of residuals)
    counts[Math.min(BINS - 1, Math.max(0, Math.floor(((r + end) / (2 * end)) * BINS)))]++
  return Array.from(counts, (entries, b) => ({
    from: -end + (2 * end * b) / BINS,
    to: -end + (2 * end * (b + 1)) / BINS,
    entries,
  }))
}

/** The mean observed value in GROUPS equally large groups of increasing predictions. */
export function calibrate(predicted: Float32Array, observed: Float32Array): Validation['calibration'] {
  const order = Uint32Array.from(predicted.keys()).sort((a, b) => predicted[a] - predicted[b])
  const groups = Math.min(GROUPS, Math.max(1, Math.floor(order.length / 5)))
  return Array.from({ length: groups }, (_, g) => {
    const group = order.subarray(
      Math.floor((g * order.length) / groups),
      Math.floor(((g + 1) * order.length) / groups),
    )
    const mean = (values: Float32Array): number =>
      group.reduce((sum, e) => sum + values[e], 0) / Math.max(1, group.length)
    const [x, y] = [mean(predicted), mean(observed)]
    const squares = group.reduce((sum, e) => sum + (observed[e] - y) ** 2, 0)
    return {
      predicted: x,
      observed: y,
      spread: Math.sqrt(squares / Math.max(1, group.length - 1)),
      entries: group.length,
    }
  })
}

/** The positions of the numbers with the largest absolute values, the largest first. */
function largestBySize(numbers: Float32Array, most: number): number[] {
  return Array.from(numbers.keys())
    .sort((a, b) => Math.abs(numbers[b]) - Math.abs(numbers[a]))
    .slice(0, most)
}

/** Per unit, the rows with the largest leverage: diagonal elements of A (AᵀA)⁻¹ Aᵀ. */
function leverageOf(model: CpModel | CpEnsemble, names: RowNames): Validation['leverage'] {
  const view = factorView(model)
  const [{ rank, factors }] = view.members
  return view.units.map((unit, k) => {
    const leverage = leverages(factors[k], rank)
    for (const row of view.unobserved[k]) leverage[row] = 0
    const rows = Array.from(leverage.keys())
      .sort((a, b) => leverage[b] - leverage[a])
      .slice(0, LISTED)
    return {
      mode: view.modes?.[k]?.name ?? unit.map((mode) => `mode ${mode + 1}`).join(' × '),
      rows: rows.map((row) => ({
        label: rowsOfUnit(model, unit, row)
          .map((own, i) => names.text(unit[i], own))
          .join(' × '),
        leverage: leverage[row],
        entries: view.counts[k]?.[row],
      })),
    }
  })
}

/** The leverage of each row of a factor (I × R): between 0 and 1, R in all. */
export function leverages(factor: Float32Array, rank: number): Float64Array {
  const rows = factor.length / rank
  const gram = new Float64Array(rank * rank)
  for (let row = 0; row < rows; row++)
    for (let r = 0; r < rank; r++) {
      const x = factor[row * rank + r]
      if (x !== 0) for (let s = 0; s <= r; s++) gram[r * rank + s] += x * factor[row * rank + s]
    }
  // Cholesky decomposition, with a little on the diagonal where columns depend on each other.
  const scale = Math.max(...Array.from({ length: rank }, (_, r) => gram[r * rank + r]), 1e-300)
  for (let r = 0; r < rank; r++)
    for (let s = 0; s <= r; s++) {
      let sum = gram[r * rank + s] + (r === s ? 1e-9 * scale : 0)
      for (let t = 0; t < s; t++) sum -= gram[r * rank + t] * gram[s * rank + t]
      gram[r * rank + s] = r === s ? Math.sqrt(Math.max(sum, 1e-12 * scale)) : sum / gram[s * rank + s]
    }
  const solved = new Float64Array(rank)
  return Float64Array.from({ length: rows }, (_, row) => {
    let total = 0
    for (let r = 0; r < rank; r++) {
      let x = factor[row * rank + r]
      for (let s = 0; s < r; s++) x -= gram[r * rank + s] * solved[s]
      solved[r] = x / gram[r * rank + r]
      total += solved[r] * solved[r]
    }
    return total
  })
}

/** How far the models of an ensemble have the same components; by the numbers of the components. */
function stabilityOf(model: CpEnsemble): Validation['stability'] {
  const { match, components } = model.stability()
  const { order } = componentShares(factorView(model))
  return {
    match,
    found: order.map((column, i) => ({ number: i + 1, ...components[column] })),
  }
}
