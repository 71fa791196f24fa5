/** Components in words: how much each explains, and which rows are special about it. */
import { type Answerer, labelOf, modeName } from './factored.ts'
import { largest } from './largest.ts'
import { normalized, type Shares, sharesOf, telling } from './shares.ts'

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
  modes: ComponentMode[]
}

/** A component in one of the modes. */
export interface ComponentMode {
  name: string
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
  /** Relative to the largest of the column. */
  weight: number
  /** How many times its share in all predictions the component has in those of this row: what is special, not what is frequent. */
  lift: number
  /** How many entries the model has seen of the row, if that is known. */
  entries?: number
}

/** The components, that with the largest share first; of several models, those of the first. */
export function componentsOf(
  model: Answerer,
  { strongest = 5, minEntries }: ComponentsOptions = {},
): Component[] {
  const [member] = model.members
  const shares = sharesOf(member, model)
  return shares.order.map((column, place) => ({
    number: place + 1,
    column,
    share: shares.shares[column],
    modes: model.dims.map((_, mode) => describeColumn(model, shares, mode, column, strongest, minEntries)),
  }))
}

function describeColumn(
  model: Answerer,
  { means, shares }: Shares,
  mode: number,
  column: number,
  most: number,
  minEntries = 1,
): ComponentMode {
  const [{ rank, factors }] = model.members
  const size = model.dims[mode]
  const counts = model.observed?.counts[mode]
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
    const isSeen = counts === undefined || counts[row] >= minEntries
    profile[row] = factors[mode][row * rank + column]
    lifts[row] = shares[column] > 0 ? share / shares[column] : 0
    // Frequent rows say more, but by the root of their entries: a row of ten thousand is not a thousand of ten.
    if (isSeen) scores[row] = Math.sqrt(counts?.[row] ?? 1) * terms[column] * telling(lifts[row], 1)
    if (profile[row] > top) top = profile[row]
  }
  if (top > 0) for (let row = 0; row < size; row++) profile[row] /= top
  const rows = largest(scores, most, (row) => scores[row] > 0)
  // A component that is everywhere as usual has no special rows: those of the largest weights must do.
  const named =
    rows.length > 0
      ? rows
      : largest(profile, most, (row) => counts === undefined || counts[row] >= minEntries)
  return {
    name: modeName(model, mode),
    strongest: named.map((row) => ({
      row,
      label: labelOf(model, mode, row),
      weight: profile[row],
      lift: lifts[row],
      ...(counts && { entries: counts[row] }),
    })),
    profile,
  }
}
