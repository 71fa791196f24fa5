/** The best rows along a mode, and why they are. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { normalized, sharesOf, telling } from '../componentShares.ts'
import { clipped, labelOf, modeName, type Predictor } from '../factored.ts'
import { type Label, LabelLookup, type Labels } from '../labelLookup.ts'
import { asLearned, unobservedOf } from '../learnedModes.ts'
import { type Along, along } from '../predict/along.ts'
import { candidates } from '../predict/candidates.ts'
import { largest } from './largest.ts'

/** What is asked for. */
export interface TopOptions {
  /** The mode whose rows are ranked. */
  of: string
  /** By the names of other modes, the row that is meant; a mode that is left out is averaged, by its entries. */
  for?: Labels
  /** How many rows; 10 by default. */
  n?: number
  /** Left out: labels, or the rows that entries of these other modes speak of. */
  exclude?: Iterable<Label> | SparseTensor
  /** Rows of fewer entries are left out; those of none by default. */
  minEntries?: number
  /**
   * Predictions stay within the values that were seen, which is the default; the order is that of what lies beyond,
   * too.
   */
  clip?: boolean
}

/** A row, and what is predicted of it. */
export interface Ranked {
  /** From 0. */
  row: number
  label: string
  predicted: number
  /** How many entries the model has seen of the row, and their mean value, if that is known. */
  entries?: number
  mean?: number
  /** The components that made it so, the most telling first. */
  why: Reason[]
}

/** A component's part in a prediction. */
export interface Reason {
  /** As `components()` counts them: from 1, the largest first. */
  component: number
  /** Of the prediction. */
  share: number
  /** How many times its usual share that is. */
  lift: number
}

/** Reasons that are given at the most, and the least share of one that is not the first. */
const REASONS = 3
const LEAST_SHARE = 0.05

export function topRows(model: Predictor, options: TopOptions): Ranked[] {
  const { n = 10, exclude, minEntries, clip = true } = options
  if (!Number.isInteger(n) || n < 1)
    throw new InputError('option', sentence`${option('n')} is ${n}; it must be a whole number from 1.`)
  const lookup = new LabelLookup(model)
  const of = lookup.mode(options.of)
  const fixed = fixedRows(model, lookup, of, options.for ?? {})
  const members = model.members.map((member) => along(member, fixed, of, model.observed?.counts))
  const scores = new Float64Array(model.dims[of])
  for (const { score } of members)
    for (let row = 0; row < scores.length; row++) scores[row] += score(row) / members.length
  // Neighbours tell of single cells, not of means over modes.
  if (model.refine && fixed.every((row, mode) => row !== null || mode === of)) {
    const cell = fixed.map((row) => row ?? 0)
    for (let row = 0; row < scores.length; row++) {
      cell[of] = row
      scores[row] = model.refine(cell, scores[row])
    }
  }
  const excluded = excludedRows(lookup, of, fixed, exclude)
  const isCandidate = candidates(model.observed?.counts[of], () => unobservedOf(model)[of], minEntries)
  const rows = largest(scores, n, (row) => isCandidate(row) && !excluded.has(row))
  const explain = explainer(model, members[0])
  return rows.map((row) => ({
    row,
    label: labelOf(model, of, row),
    predicted: clip ? clipped(model, scores[row]) : scores[row],
    ...(model.observed && {
      entries: model.observed.counts[of][row],
      mean: model.observed.means[of][row],
    }),
    why: explain(row),
  }))
}

/** Per mode, the row that is meant, or null where none is: in the mode that is ranked, and in those to be averaged. */
export function fixedRows(
  model: Predictor,
  lookup: LabelLookup,
  of: number | undefined,
  labels: Labels,
): (number | null)[] {
  const fixed: (number | null)[] = model.dims.map(() => null)
  for (const [name, label] of Object.entries(labels)) {
    const mode = lookup.mode(name)
    if (mode === of)
      throw new InputError(
        'option',
        `${modeName(model, mode)} cannot be both what is ranked and what it is ranked for; name another mode.`,
      )
    fixed[mode] = lookup.row(mode, label)
  }
  return fixed
}

function excludedRows(
  lookup: LabelLookup,
  of: number,
  fixed: readonly (number | null)[],
  exclude: TopOptions['exclude'] = [],
): Set<number> {
  if ('indices' in exclude) return new Set(valuesAlong(exclude, fixed, of).keys())
  const rows = Array.from(exclude, (label) => lookup.find(of, label))
  return new Set(rows.filter((row) => row !== undefined))
}

/** By row of a mode, the value of an entry that has the given rows in the other modes. */
export function valuesAlong(
  { indices, values }: SparseTensor,
  fixed: readonly (number | null)[],
  mode: number,
): Map<number, number> {
  const columns = fixed.flatMap((row, m) => (row === null || m === mode ? [] : [{ column: indices[m], row }]))
  const found = new Map<number, number>()
  for (let e = 0; e < values.length; e++)
    if (columns.every(({ column, row }) => column[e] === row)) found.set(indices[mode][e], values[e])
  return found
}

/** Tells which components a prediction is made of; of several models, of the first. */
function explainer(model: Predictor, { terms }: Along): (row: number) => Reason[] {
  const { shares: usual, numbers } = sharesOf(asLearned(model))
  return (row) => {
    const shares = normalized(terms(row))
    const scores = shares.map((share, r) => telling(share, usual[r]))
    return largest(scores, REASONS, (r) => scores[r] > 0 && shares[r] >= LEAST_SHARE).map((r) => ({
      component: numbers[r],
      share: shares[r],
      lift: shares[r] / usual[r],
    }))
  }
}
