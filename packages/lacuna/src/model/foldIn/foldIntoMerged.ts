/**
 * Fold-in where modes were merged for learning. A row of a merged mode is a pair: pairs of the new entries that
 * had no entry in training are solved, also those of two known rows; other pairs of a new row have the mean row,
 * as in a model that is learned anew. Rows of modes that are not merged are solved as usual.
 */
import { InputError } from '../../base/inputError.ts'
import {
  type Digit,
  type Observed,
  observe,
  type ReshapedModes,
  type ResolvedReshaping,
  reshapedModes,
  reshapeTensor,
  type SparseTensor,
} from '../../tensor/index.ts'
import type { Factored, Prior } from '../factored.ts'
import { foldInEntries } from './foldIn.ts'
import { mergeObserved } from './trainingStatistics.ts'

/** A model with merged modes. */
interface MergedModel extends Factored {
  reshaping: ResolvedReshaping
  observed?: Observed
  unobserved: readonly Uint32Array[]
  prior: Prior
}

/** The fields of the model that change. */
interface FoldedMerged {
  dims: readonly number[]
  factors: Float32Array[]
  unobserved: Uint32Array[]
  /** Statistics of old and new entries; undefined where the model has none. */
  observed?: Observed
}

/**
 * Solves rows without training entries from new entries; the model is not modified. Throws if modes were split,
 * or existing rows are to be updated.
 * @param entries aligned to the model: indices beyond its sizes are new rows
 * @param update whether existing rows are updated, too
 */
export function foldIntoMerged(model: MergedModel, entries: SparseTensor, update: boolean): FoldedMerged {
  const { reshaping, rank, prior, observed } = model
  if (reshaping.split.length > 0)
    throw new InputError(
      'option',
      'The model was learned with a mode that was split into blocks, to which no rows can be added; learn it anew with the new entries.',
    )
  if (update)
    throw new InputError(
      'option',
      'The model was learned with modes merged, and does not say how many entries its pairs have had, so that these cannot be updated; fold the entries in, which leaves known rows as they are, or learn it anew with them.',
    )
  const dims = model.dims.map((dim, mode) => Math.max(dim, entries.dims[mode]))
  const before = reshapedModes(reshaping, model.dims)
  const after = reshapedModes(reshaping, dims)
  const moved = before.digits.map((digits, k) => rowsAfter(digits, after.digits[k], before.dims[k]))
  const factors = moved.map((rows, k) => {
    const factor = new Float32Array(after.dims[k] * rank)
    for (let start = 0; start < factor.length; start += rank) factor.set(prior.means[k], start)
    rows.forEach((row, old) => {
      factor.set(model.factors[k].subarray(old * rank, (old + 1) * rank), row * rank)
    })
    return factor
  })
  const unobserved = moved.map((rows, k) => {
    const isKnown = new Uint8Array(after.dims[k])
    for (const row of rows) isKnown[row] = 1
    for (const old of model.unobserved[k]) isKnown[rows[old]] = 0
    return Uint32Array.from(isKnown.keys()).filter((row) => !isKnown[row])
  })
  const folded = foldInEntries({
    model: {
      ...{ rank, prior, factors, unobserved, link: model.link, dims: after.dims },
      observed: observed && observedRows(observed, after, unobserved),
    },
    entries: reshapeTensor({ ...entries, dims }, after),
    update: false,
  })
  /** Whether a row of the tensor had no entries before. */
  const isNew = (mode: number, row: number): boolean => !observed?.counts[mode][row]
  return {
    dims,
    factors: folded.factors,
    unobserved: folded.unobserved,
    observed: observed && mergeObserved({ ...model, observed }, observe({ ...entries, dims }), dims, isNew),
  }
}

/**
 * The row after fold-in of each row of a reshaped mode before it.
 * @param before its digits @param after its digits with new rows @param count its number of rows before
 */
function rowsAfter(before: readonly Digit[], after: readonly Digit[], count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) =>
    before.reduce(
      (sum, { weight, size }, at) => sum + (Math.floor(row / weight) % size) * after[at].weight,
      0,
    ),
  )
}

/**
 * Statistics of reshaped modes: those of modes that are not merged, and in merged ones the entries divided
 * equally among the rows that have some.
 */
function observedRows(
  observed: Observed,
  { dims, digits }: ReshapedModes,
  unobserved: readonly Uint32Array[],
): Observed {
  const counts = dims.map((dim, k) => {
    if (digits[k].length === 1) {
      const longer = new Uint32Array(dim)
      longer.set(observed.counts[digits[k][0].mode])
      return longer
    }
    const each = Math.max(1, Math.round(observed.entries / Math.max(1, dim - unobserved[k].length)))
    const ofRows = new Uint32Array(dim).fill(each)
    for (const row of unobserved[k]) ofRows[row] = 0
    return ofRows
  })
  return { ...observed, counts, means: dims.map((dim) => new Float32Array(dim)) }
}
