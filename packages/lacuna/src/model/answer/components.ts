/** Descriptions of components: how much each explains, and which rows are most specific to it. */

import { type ComponentShares, componentShares, normalize, specificity } from '../componentShares.ts'
import { type Found, foundPerComponent } from '../ensemble/stability.ts'
import { modeName, type Predictor } from '../factored.ts'
import { type FactorView, factorView, joinLabels, labelsOfUnit } from '../factorView.ts'
import { candidateFilter } from '../predict/candidates.ts'
import { largest } from './largest.ts'

/** Options of `components`. */
export interface ComponentsOptions {
  /** Rows listed per mode; 5 by default. */
  strongest?: number
  /** Least number of training entries of a listed row; 1 by default. */
  minEntries?: number
}

/**
 * A rank-one term of the model; predictions are the sum of all of them, on the scale of the link if there is
 * one.
 */
export interface Component {
  /** Number from 1, the largest share first. */
  number: number
  /** Its column in the factors, from 0. */
  column: number
  /** Fraction of all predictions at the cells of training entries that is due to it; with a link, on its scale. */
  share: number
  /** The number of models of an ensemble in which it is found; undefined for one model. */
  found?: Found
  /** The component in each mode. */
  modes: ComponentMode[]
}

/** A component in one of the modes. */
export interface ComponentMode {
  /** Name of the mode. */
  name: string
  /** The tensor's modes that it stands for, from 0: one, or several that were merged. */
  modes: readonly number[]
  /** The rows that are most specific to this component, the most specific first. */
  strongest: ComponentRow[]
  /** The whole column of the factor, relative to its largest value. */
  profile: Float32Array
}

/** A row that is specific to a component. */
export interface ComponentRow {
  /** Index from 0. */
  row: number
  /** Label; of merged modes all labels, joined by ×. */
  label: string
  /** Label in each of the modes. */
  labels: readonly string[]
  /** Weight relative to the largest of the column. */
  weight: number
  /** Lift: share of the component in the predictions of this row, divided by its share in all predictions. */
  lift: number
  /** Training entries of the row, if known. */
  entries?: number
}

/**
 * Describes the components of a model, the one with the largest share first; of an ensemble, those of its
 * first member.
 */
export function componentsOf(
  model: Predictor,
  { strongest = 5, minEntries }: ComponentsOptions = {},
): Component[] {
  const learned = factorView(model)
  const shares = componentShares(learned)
  const found = learned.members.length > 1 ? foundPerComponent(model) : undefined
  const isCandidate = learned.counts.map((counts, mode) =>
    candidateFilter(counts, () => learned.unobserved[mode], minEntries),
  )
  return shares.order.map((column, position) => ({
    number: position + 1,
    column,
    share: shares.shares[column],
    ...(found && { found: found[column] }),
    modes: learned.units.map((unit, mode) => {
      const { rows, ...description } = describeColumn(
        learned,
        shares,
        mode,
        column,
        strongest,
        isCandidate[mode],
      )
      const listed = rows.map((row) => {
        const labels = labelsOfUnit(model, unit, row.row)
        return { ...row, label: joinLabels(labels), labels }
      })
      return { ...description, modes: unit, strongest: listed }
    }),
  }))
}

/**
 * Describes a component in one unit of a model: its profile, and the rows that are most specific to it, or
 * those of the largest weights if none is.
 * @param model the view of the model
 * @param column the component
 * @param most rows at most
 */
function describeColumn(
  model: FactorView,
  { means, shares }: ComponentShares,
  mode: number,
  column: number,
  most: number,
  isCandidate: (row: number) => boolean,
): Pick<ComponentMode, 'name' | 'profile'> & { rows: Omit<ComponentRow, 'label' | 'labels'>[] } {
  const [{ rank, factors }] = model.members
  const size = model.dims[mode]
  const counts = model.counts[mode]
  // The contribution of each component to the predictions of a row, on average over the other modes.
  const others = shares.map((_, r) =>
    means.reduce((product, mean, m) => (m === mode ? product : product * mean[r]), 1),
  )
  const profile = new Float32Array(size)
  const lifts = new Float64Array(size)
  const scores = new Float64Array(size)
  let top = 0
  const terms = new Float64Array(rank)
  for (let row = 0; row < size; row++) {
    for (let r = 0; r < rank; r++) terms[r] = factors[mode][row * rank + r] * others[r]
    const share = normalize(terms)[column]
    profile[row] = factors[mode][row * rank + column]
    lifts[row] = shares[column] > 0 ? share / shares[column] : 0
    // Rows with many entries come first, but only by the square root of their entries.
    if (isCandidate(row))
      scores[row] = Math.sqrt(counts?.[row] ?? 1) * terms[column] * specificity(lifts[row], 1)
    if (profile[row] > top) top = profile[row]
  }
  if (top > 0) for (let row = 0; row < size; row++) profile[row] /= top
  const rows = largest(scores, most, (row) => scores[row] > 0)
  // A component with the same share in all rows is specific to none: list those of the largest weights.
  const listed = rows.length > 0 ? rows : largest(profile, most, isCandidate)
  return {
    name: modeName(model, mode),
    rows: listed.map((row) => ({
      row,
      weight: profile[row],
      lift: lifts[row],
      ...(counts && { entries: counts[row] }),
    })),
    profile,
  }
}
