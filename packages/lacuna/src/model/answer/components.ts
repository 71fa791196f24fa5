/** Components in words: how much each explains, and which rows are special about it. */

import { normalized, type Shares, sharesOf, telling } from '../componentShares.ts'
import { type Found, foundOf } from '../ensemble/stability.ts'
import { modeName, type Predictor } from '../factored.ts'
import { asLearned, type Learned, labelsOfUnit, together } from '../learnedModes.ts'
import { candidates } from '../predict/candidates.ts'
import { largest } from './largest.ts'

/** Which rows components are described by. */
export interface ComponentsOptions {
  /** Rows that are named in each mode; 5 by default. */
  strongest?: number
  /** Rows of fewer entries are not named; those of none by default. */
  minEntries?: number
}

/** One of the terms that predictions are the sum of. */
export interface Component {
  /** From 1, the largest share first. */
  number: number
  /** Its column in the factors, from 0. */
  column: number
  /** Of all that is predicted where entries were seen. */
  share: number
  /** Of several models, in how many it is found. */
  found?: Found
  modes: ComponentMode[]
}

/** A component in one of the modes. */
export interface ComponentMode {
  name: string
  /** The model's modes that it is of, from 0: one, or those that were learned as one. */
  modes: readonly number[]
  /** The rows that tell this component from the others, the most telling first. */
  strongest: ComponentRow[]
  /** The whole column, relative to its largest. */
  profile: Float32Array
}

/** A row that tells a component from others. */
export interface ComponentRow {
  /** From 0. */
  row: number
  label: string
  /** The label in each of the modes. */
  labels: readonly string[]
  /** Relative to the largest of the column. */
  weight: number
  /** How many times its share in all predictions the component has in those of this row: what is special, not what is frequent. */
  lift: number
  /** How many entries the model has seen of the row, if that is known. */
  entries?: number
}

/** The components, that with the largest share first; of several models, those of the first. */
export function componentsOf(
  model: Predictor,
  { strongest = 5, minEntries }: ComponentsOptions = {},
): Component[] {
  const learned = asLearned(model)
  const shares = sharesOf(learned)
  const found = learned.members.length > 1 ? foundOf(model) : undefined
  const isCandidate = learned.counts.map((counts, mode) =>
    candidates(counts, () => learned.unobserved[mode], minEntries),
  )
  return shares.order.map((column, place) => ({
    number: place + 1,
    column,
    share: shares.shares[column],
    ...(found && { found: found[column] }),
    modes: learned.units.map((unit, mode) => {
      const { rows, ...told } = describeColumn(learned, shares, mode, column, strongest, isCandidate[mode])
      const named = rows.map((row) => {
        const labels = labelsOfUnit(model, unit, row.row)
        return { ...row, label: together(labels), labels }
      })
      return { ...told, modes: unit, strongest: named }
    }),
  }))
}

function describeColumn(
  model: Learned,
  { means, shares }: Shares,
  mode: number,
  column: number,
  most: number,
  isCandidate: (row: number) => boolean,
): Pick<ComponentMode, 'name' | 'profile'> & { rows: Omit<ComponentRow, 'label' | 'labels'>[] } {
  const [{ rank, factors }] = model.members
  const size = model.dims[mode]
  const counts = model.counts[mode]
  // What a component adds to the predictions of a row, on average over the other modes.
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
    const share = normalized(terms)[column]
    profile[row] = factors[mode][row * rank + column]
    lifts[row] = shares[column] > 0 ? share / shares[column] : 0
    // Frequent rows say more, but by the root of their entries: a row of ten thousand is not a thousand of ten.
    if (isCandidate(row)) scores[row] = Math.sqrt(counts?.[row] ?? 1) * terms[column] * telling(lifts[row], 1)
    if (profile[row] > top) top = profile[row]
  }
  if (top > 0) for (let row = 0; row < size; row++) profile[row] /= top
  const rows = largest(scores, most, (row) => scores[row] > 0)
  // A component that is everywhere as usual has no special rows: those of the largest weights must do.
  const named = rows.length > 0 ? rows : largest(profile, most, isCandidate)
  return {
    name: modeName(model, mode),
    rows: named.map((row) => ({
      row,
      weight: profile[row],
      lift: lifts[row],
      ...(counts && { entries: counts[row] }),
    })),
    profile,
  }
}
