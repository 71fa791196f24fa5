/** Rows of a mode that are similar to one of them. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import { componentShares } from '../componentShares.ts'
import { labelOf, type Predictor } from '../factored.ts'
import { requireUnmerged } from '../factorView.ts'
import { type Label, lookupOf } from '../labelLookup.ts'
import { candidateFilter } from '../predict/candidates.ts'
import { largest } from './largest.ts'

/** A row that is similar to another one. */
export interface Similar {
  /** Index from 0. */
  row: number
  /** Label. */
  label: string
  /** Cosine of the two rows, 0 to 1, with each component weighted by its contribution to predictions. */
  similarity: number
  /** Training entries of the row, if known. */
  entries?: number
}

/** Options of `similar`. */
export interface SimilarOptions {
  /** Number of rows; 10 by default. */
  n?: number
  /** Least number of training entries of a row; 1 by default. */
  minEntries?: number
}

/**
 * The rows of a mode that are most similar to the row with a label, the most similar first: those whose
 * predictions consist of the same components. Throws if the label is unknown or modes were merged.
 */
export function similarRows(
  given: Predictor,
  modeName: string,
  label: Label,
  { n = 10, minEntries }: SimilarOptions = {},
): Similar[] {
  if (!Number.isInteger(n) || n < 1)
    throw new InputError('option', sentence`${option('n')} is ${n}; it must be a whole number from 1.`)
  const model = requireUnmerged(given)
  const lookup = lookupOf(model)
  const mode = lookup.mode(modeName)
  const row = lookup.row(mode, label)
  const similarities = new Float64Array(model.dims[mode])
  for (const member of model.members) {
    const { rank, factors } = member
    // The norms of columns are arbitrary: components are weighted by their contribution to a mean prediction.
    const { means } = componentShares(model, member)
    const scales = Array.from({ length: rank }, (_, r) =>
      means.reduce((product, mean, m) => (m === mode ? product : product * mean[r]), 1),
    )
    const target = factors[mode].subarray(row * rank, (row + 1) * rank).map((x, r) => x * scales[r])
    const length = Math.hypot(...target)
    for (let p = 0; p < similarities.length; p++) {
      let [dot, squares] = [0, 0]
      for (let r = 0; r < rank; r++) {
        const x = factors[mode][p * rank + r] * scales[r]
        dot += x * target[r]
        squares += x * x
      }
      if (squares > 0 && length > 0)
        similarities[p] += dot / (Math.sqrt(squares) * length) / model.members.length
    }
  }
  const isCandidate = candidateFilter(model.counts[mode], () => model.unobserved[mode], minEntries)
  return largest(similarities, n, (p) => p !== row && isCandidate(p)).map((p) => ({
    row: p,
    label: labelOf(model, mode, p),
    similarity: similarities[p],
    ...(model.observed && { entries: model.observed.counts[mode][p] }),
  }))
}
