/**
 * Fold-in where modes were merged or split for learning. A row of a merged mode is a pair: pairs of the new entries that
 * had no entry in training are solved, also those of two known rows; other pairs of a new row have the mean row,
 * as in a model that is learned anew. Rows of modes that are neither merged nor split are solved as usual.
 */
import { InputError } from '../../base/inputError.ts'
import {
  type Digit,
  digitTerm,
  type Observed,
  observe,
  type ReshapedModes,
  type ResolvedReshaping,
  reshapedModes,
  reshapeTensor,
  type SparseTensor,
} from '../../tensor/index.ts'
import { type Factored, modeName, type Prior } from '../factored.ts'
import { foldInEntries } from './foldIn.ts'
import { mergeObserved } from './trainingStatistics.ts'

/** A model with merged or split modes. */
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
 * Solves rows without training entries from new entries; the model is not modified. Throws if there are new rows of a mode
 * that was split, or existing rows are to be updated.
 * @param entries aligned to the model: indices beyond its sizes are new rows
 * @param update whether existing rows are updated, too
 */
export function foldIntoMerged(model: MergedModel, entries: SparseTensor, update: boolean): FoldedMerged {
  const { reshaping, rank, prior, observed } = model
  const longer = reshaping.split.find(({ mode }) => entries.dims[mode] > model.dims[mode])
  if (longer)
    throw new InputError(
      'option',
      `The model was learned with ${modeName(entries, longer.mode)} split into blocks, to which no rows can be added; learn it anew with the new entries.`,
    )
  if (update)
    throw new InputError(
      'option',
      'The model was learned with modes merged or split, and does not say how many entries their rows have had, so that these cannot be updated; learn it anew with the new entries, or fold in those of new rows alone.',
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
 * Statistics of reshaped modes: those of modes that are not merged, also of the parts of split ones, and in merged ones the
 * entries divided equally among the rows that have some.
 */
function observedRows(
  observed: Observed,
  { dims, digits }: ReshapedModes,
  unobserved: readonly Uint32Array[],
): Observed {
  const counts = dims.map((dim, k) => {
    if (digits[k].length === 1) {
      const [digit] = digits[k]
      const ofRows = new Uint32Array(dim)
      // Of a mode that was split, the entries of all rows of a block, or at a position in blocks.
      observed.counts[digit.mode].forEach((count, row) => {
        ofRows[digitTerm(digit, row)] += count
      })
      return ofRows
    }
    const each = Math.max(1, Math.round(observed.entries / Math.max(1, dim - unobserved[k].length)))
    const ofRows = new Uint32Array(dim).fill(each)
    for (const row of unobserved[k]) ofRows[row] = 0
    return ofRows
  })
  return { ...observed, counts, means: dims.map((dim) => new Float32Array(dim)) }
}
