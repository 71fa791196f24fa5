/** The rows of a mode with the largest predictions, and the components that explain them. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { componentShares, normalize, specificity } from '../componentShares.ts'
import { clipToRange, labelOf, modeName, type Predictor } from '../factored.ts'
import { factorView, unobservedRowsOf } from '../factorView.ts'
import { type Label, type LabelLookup, lookupOf } from '../labelLookup.ts'
import { candidateFilter } from '../predict/candidates.ts'
import { type PredictionsAlong, predictAlong } from '../predict/predictAlong.ts'
import { largest } from './largest.ts'

/** Options of `top`; M are the names of the modes. */
export interface TopOptions<M extends string = string> {
  /** Mode whose rows are ranked. */
  of: M
  /**
   * Labels of fixed rows, by the names of other modes; by default modes are averaged, weighted by their rows'
   * entries.
   */
  for?: { readonly [N in M]?: Label }
  /** Number of rows; 10 by default. */
  n?: number
  /**
   * Rows that are left out: their labels, or entries that have the fixed rows in the other modes; none by
   * default.
   */
  exclude?: Iterable<Label> | SparseTensor
  /** Least number of training entries of a row; 1 by default. */
  minEntries?: number
  /**
   * Whether predictions are limited to the range of the training values, after rows have been ranked; true by
   * default.
   */
  clip?: boolean
}

/** A row and its prediction. */
export interface Ranked {
  /** Index from 0. */
  row: number
  /** Label. */
  label: string
  /** Prediction. */
  predicted: number
  /** Training entries of the row, if known. */
  entries?: number
  /** Mean of the row's training values, if known. */
  mean?: number
  /** The components that explain the prediction, the most specific first. */
  why: Reason[]
}

/** The contribution of a component to a prediction. */
export interface Reason {
  /** Number of the component as in `components()`: from 1, the largest first. */
  component: number
  /** Fraction of the prediction that is due to it. */
  share: number
  /** Lift: this fraction, divided by the component's share in all predictions. */
  lift: number
}

/** Most components that explain a prediction. */
const REASONS = 3
/** Least fraction of a prediction for a component to explain it. */
const LEAST_SHARE = 0.05

/**
 * The rows of a mode with the largest predictions, the largest first. Modes without a fixed row are averaged;
 * if there are none, predictions are corrected by neighbours. Throws on unknown modes or labels.
 */
export function topRows(model: Predictor, options: TopOptions): Ranked[] {
  const { n = 10, exclude, minEntries, clip = true } = options
  if (!Number.isInteger(n) || n < 1)
    throw new InputError('option', sentence`${option('n')} is ${n}; it must be a whole number from 1.`)
  const lookup = lookupOf(model)
  const rankedMode = lookup.mode(options.of)
  const fixed = fixedRows(model, lookup, rankedMode, options.for ?? {})
  const members = model.members.map((member) =>
    predictAlong(member, fixed, rankedMode, model.observed?.counts),
  )
  const scores = new Float64Array(model.dims[rankedMode])
  const { weights } = model
  members.forEach(({ score }, k) => {
    for (let row = 0; row < scores.length; row++)
      scores[row] += weights ? weights[k] * score(row) : score(row) / members.length
  })
  // The correction by neighbours applies to single cells, not to means over modes.
  if (model.refine && fixed.every((row, mode) => row !== null || mode === rankedMode)) {
    const cell = fixed.map((row) => row ?? 0)
    for (let row = 0; row < scores.length; row++) {
      cell[rankedMode] = row
      scores[row] = model.refine(cell, scores[row])
    }
  }
  const excluded = excludedRows(lookup, rankedMode, fixed, exclude)
  const isCandidate = candidateFilter(
    model.observed?.counts[rankedMode],
    () => unobservedRowsOf(model)[rankedMode],
    minEntries,
  )
  const rows = largest(scores, n, (row) => isCandidate(row) && !excluded.has(row))
  const explain = explainer(model, members[0])
  return rows.map((row) => ({
    row,
    label: labelOf(model, rankedMode, row),
    predicted: clip ? clipToRange(model, scores[row]) : scores[row],
    ...(model.observed && {
      entries: model.observed.counts[rankedMode][row],
      mean: model.observed.means[rankedMode][row],
    }),
    why: explain(row),
  }))
}

/**
 * Per mode, the row with the given label; null in modes without one. Throws if a mode or label is unknown, or
 * if the ranked mode has a label.
 * @param labels labels by the names of their modes
 */
export function fixedRows(
  model: Predictor,
  lookup: LabelLookup,
  rankedMode: number,
  labels: { readonly [mode: string]: Label | undefined },
): (number | null)[] {
  const fixed: (number | null)[] = model.dims.map(() => null)
  for (const [name, label] of Object.entries(labels)) {
    if (label === undefined) continue
    const mode = lookup.mode(name)
    if (mode === rankedMode)
      throw new InputError(
        'option',
        `${modeName(model, mode)} cannot be both what is ranked and what it is ranked for; name another mode.`,
      )
    fixed[mode] = lookup.row(mode, label)
  }
  return fixed
}

/**
 * The rows of mode `rankedMode` that `exclude` leaves out of the ranking. Given labels: the rows with these
 * labels; unknown labels are ignored. Given a tensor: the rows of its entries that agree with `fixed` in the
 * other modes.
 */
function excludedRows(
  lookup: LabelLookup,
  rankedMode: number,
  fixed: readonly (number | null)[],
  exclude: TopOptions['exclude'] = [],
): Set<number> {
  if ('indices' in exclude) return new Set(valuesAlong(exclude, fixed, rankedMode).keys())
  const rows = Array.from(exclude, (label) => lookup.find(rankedMode, label))
  return new Set(rows.filter((row) => row !== undefined))
}

/**
 * Values of the entries that agree with `fixed` in all modes but one, by their row of that mode.
 * @param fixed per mode, a row, or null for any; ignored in `mode`
 * @param mode the mode whose rows are the keys
 */
export function valuesAlong(
  { indices, values }: SparseTensor,
  fixed: readonly (number | null)[],
  mode: number,
): Map<number, number> {
  const columns = fixed.flatMap((row, m) => (row === null || m === mode ? [] : [{ column: indices[m], row }]))
  const valueOfRow = new Map<number, number>()
  for (let e = 0; e < values.length; e++)
    if (columns.every(({ column, row }) => column[e] === row)) valueOfRow.set(indices[mode][e], values[e])
  return valueOfRow
}

/**
 * Makes a function that returns the components that explain a row's prediction, at most REASONS, the most
 * specific first; of an ensemble, those of its first member.
 * @param predictions of the first member along the ranked mode
 */
function explainer(model: Predictor, predictions: PredictionsAlong): (row: number) => Reason[] {
  const { shares: meanShares, numbers } = componentShares(factorView(model))
  return (row) => {
    const shares = normalize(predictions.terms(row))
    const scores = shares.map((share, r) => specificity(share, meanShares[r]))
    return largest(scores, REASONS, (r) => scores[r] > 0 && shares[r] >= LEAST_SHARE).map((r) => ({
      component: numbers[r],
      share: shares[r],
      lift: shares[r] / meanShares[r],
    }))
  }
}
