/**
 * The shares of components in the predictions. Factors are nonnegative, so that terms add up: component r has
 * the share Π_j m_jr / Σ_s Π_j m_js, where m_j is the mean row of mode j, weighted by the rows' entries if
 * they are known.
 */

import type { Factored } from './factored.ts'
import type { FactorView } from './factorView.ts'
import { meanRows } from './foldIn/meanRows.ts'

/** Shares and order of the components. */
export interface ComponentShares {
  /** Per mode, the mean row (R), weighted by the rows' entries if they are known. */
  means: readonly Float64Array[]
  /** Fraction of the mean prediction that is due to each component (R). */
  shares: Float64Array
  /** The components, the one with the largest share first. */
  order: readonly number[]
  /** Position of each component in `order`, from 1. */
  numbers: readonly number[]
}

/** Cache of `componentShares`, by view and member: it takes a pass over all factors. */
const cache = new WeakMap<FactorView, Map<Factored, ComponentShares>>()

/** The shares and the order of the components of a model's member, by default of the first one; cached. */
export function componentShares(view: FactorView, member = view.members[0]): ComponentShares {
  const cached = cache.get(view) ?? new Map<Factored, ComponentShares>()
  cache.set(view, cached)
  const known = cached.get(member)
  if (known) return known
  const shares = computeShares(member, view.counts)
  cached.set(member, shares)
  return shares
}

/** Computes the shares and the order of the components. @param counts per mode, the entries of each row, if known */
function computeShares(member: Factored, counts: FactorView['counts']): ComponentShares {
  const { rank } = member
  const means = meanRows(member, counts)
  const terms = means.reduce(
    (product, mean) => product.map((x, r) => x * mean[r]),
    new Float64Array(rank).fill(1),
  )
  const shares = normalize(terms)
  const order = Array.from(shares, (_, r) => r).sort((a, b) => shares[b] - shares[a] || a - b)
  const numbers = new Array<number>(rank)
  order.forEach((r, position) => {
    numbers[r] = position + 1
  })
  return { means, shares, order, numbers }
}

/** Returns nonnegative numbers divided by their sum; zeros if all are zero. */
export function normalize(terms: Float64Array): Float64Array {
  const total = terms.reduce((sum, term) => sum + term, 0)
  return total > 0 ? terms.map((term) => term / total) : terms.map(() => 0)
}

/**
 * A share's term in the Kullback–Leibler divergence from the expected shares: share · ln(share / expected).
 * It is positive where the share is larger than expected, and 0 where either is 0.
 */
export const specificity = (share: number, expected: number): number =>
  share > 0 && expected > 0 ? share * Math.log(share / expected) : 0
