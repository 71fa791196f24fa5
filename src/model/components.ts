/** Components in words: how much each explains, and which rows are special about it. */
import { type Answerer, type Factored, labelOf, modeName } from './factored.ts'
import { largest } from './largest.ts'
import { dotRow } from './products.ts'
import { type Shares, sharesOf, telling } from './shares.ts'

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
  /**
   * How many times its share in all predictions the component has in those of this row: what is special, not what is
   * frequent.
   */
  lift: number
  /** How many entries the model has seen of the row, if that is known. */
  entries?: number
}

/** The components, that with the largest share first; of several models, those of the first. */
export function componentsOf(
  model: Answerer,
  { strongest = 5, minEntries = 1 }: ComponentsOptions = {},
): Component[] {
  const [member] = model.members
  const shares = sharesOf(member, model)
  const modes = model.dims.map((_, mode) => alongMode(member, shares, mode))
  return shares.order.map((column, place) => ({
    number: place + 1,
    column,
    share: shares.shares[column],
    modes: modes.map((along, mode) =>
      describeColumn(model, along, mode, column, shares.shares[column], strongest, minEntries),
    ),
  }))
}

/** What components add to the predictions of a mode's rows, on average over the other modes. */
interface AlongMode {
  /** (R): times a row, what each adds. */
  others: Float64Array
  /** Per row, the sum. */
  totals: Float64Array
}

function alongMode({ rank, factors }: Factored, { means }: Shares, mode: number): AlongMode {
  const others = Float64Array.from({ length: rank }, (_, r) =>
    means.reduce((product, mean, m) => (m === mode ? product : product * mean[r]), 1),
  )
  const totals = new Float64Array(factors[mode].length / rank)
  for (let row = 0; row < totals.length; row++) totals[row] = dotRow(others, factors[mode], row * rank)
  return { others, totals }
}

function describeColumn(
  model: Answerer,
  { others, totals }: AlongMode,
  mode: number,
  column: number,
  usual: number,
  most: number,
  minEntries: number,
): ComponentMode {
  const [{ rank, factors }] = model.members
  const counts = model.observed?.counts[mode]
  const isSeen = (row: number): boolean => counts === undefined || counts[row] >= minEntries
  const profile = totals.map((_, row) => factors[mode][row * rank + column])
  const lifts = totals.map((total, row) => {
    const share = total > 0 ? (profile[row] * others[column]) / total : 0
    return usual > 0 ? share / usual : 0
  })
  // Frequent rows say more, but by the root of their entries: a row of ten thousand is not a thousand of ten.
  const scores = lifts.map((lift, row) =>
    isSeen(row) ? Math.sqrt(counts?.[row] ?? 1) * profile[row] * telling(lift, 1) : 0,
  )
  const top = profile.reduce((most, x) => Math.max(most, x), 0) || 1
  const special = largest(scores, most, (row) => scores[row] > 0)
  // A component that is everywhere as usual has no special rows: those of the largest weights must do.
  const rows = special.length > 0 ? special : largest(profile, most, isSeen)
  return {
    name: modeName(model, mode),
    strongest: rows.map((row) => ({
      row,
      label: labelOf(model, mode, row),
      weight: profile[row] / top,
      lift: lifts[row],
      ...(counts && { entries: counts[row] }),
    })),
    profile: Float32Array.from(profile, (x) => x / top),
  }
}
