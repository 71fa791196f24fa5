/**
 * How much of what is predicted is due to which component. Factors are nonnegative, so that terms add up: over the
 * entries that were seen, if they are known, else over all cells, component r has the share Π_j m_jr / Σ_s Π_j m_js,
 * m_j being the mean row of mode j.
 */

import type { FactorView } from './factorView.ts'
import { meanRows } from './foldIn/meanRows.ts'

export interface ComponentShares {
  /** Per mode, the mean row (R), by entries. */
  means: readonly Float64Array[]
  /** (R), of the mean prediction. */
  shares: Float64Array
  /** The components, the one with the largest share first … */
  order: readonly number[]
  /** … and the number, from 1, that each has in that order. */
  numbers: readonly number[]
}

/** Of the first of several models, or another one. */
export function componentShares({ members, counts }: FactorView, member = members[0]): ComponentShares {
  const { rank } = member
  const means = meanRows(member, counts)
  const terms = means.reduce(
    (product, mean) => product.map((x, r) => x * mean[r]),
    new Float64Array(rank).fill(1),
  )
  const shares = normalize(terms)
  const order = Array.from(shares, (_, r) => r).sort((a, b) => shares[b] - shares[a] || a - b)
  const numbers = new Array<number>(rank)
  order.forEach((r, place) => {
    numbers[r] = place + 1
  })
  return { means, shares, order, numbers }
}

/** Numbers from 0 that add up to 1; zeros where there is nothing to share. */
export function normalize(terms: Float64Array): Float64Array {
  const total = terms.reduce((sum, term) => sum + term, 0)
  return total > 0 ? terms.map((term) => term / total) : terms.map(() => 0)
}

/** How telling a share is where another one is usual: its part in the divergence between the two. */
export const specificity = (share: number, usual: number): number =>
  share > 0 && usual > 0 ? share * Math.log(share / usual) : 0
