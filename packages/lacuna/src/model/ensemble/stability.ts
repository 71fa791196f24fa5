/**
 * Stability: which components the models of an ensemble agree on. Two components are compared by their factor
 * match score, the product over the modes of the cosines of their columns (Tucker's congruence), with rows
 * weighted by their entries. Components are matched greedily, the largest score first, each with one of the
 * other model.
 */

import type { Factored, Predictor } from '../factored.ts'
import { type FactorView, factorView } from '../factorView.ts'

/**
 * Least factor match score of components that count as the same; with three modes, columns with cosines of
 * 0.95.
 */
const LEAST_MATCH = 0.85

/** The number of models of an ensemble in which a component of the first model is found. */
export interface Found {
  /** Models that have the component, including the first. */
  in: number
  /** Number of all models. */
  of: number
  /** Mean factor match score of the component in the other models; 1 if there are none. */
  match: number
}

/** How far models of the same data have the same components. */
export interface Stability {
  /** Per column of the first model's factors, in how many models it is found. */
  components: Found[]
  /** Mean score over all pairs of models and their components. */
  match: number
}

/** Compares the components of all members of an ensemble; a single model agrees with itself. */
export function stabilityOf(model: Predictor): Stability {
  const { members, counts } = factorView(model)
  const scores = members.flatMap((first, a) =>
    members.slice(a + 1).map((second) => matchComponents(congruence(first, second, counts))),
  )
  // The first pairs are those of the first model.
  const components = countFound(members, scores.slice(0, members.length - 1))
  const all = scores.flat()
  return { components, match: all.length > 0 ? meanOf(all) : 1 }
}

/**
 * For each component of the first member, in how many members it is found; faster than `stabilityOf`, which
 * compares all pairs of members.
 */
export function foundPerComponent(model: Predictor): Found[] {
  const { members, counts } = factorView(model)
  const [first, ...others] = members
  return countFound(
    members,
    others.map((other) => matchComponents(congruence(first, other, counts))),
  )
}

/**
 * For each component of the first member, in how many members it is found.
 * @param scores per other member, the factor match score of each component of the first
 */
const countFound = (members: readonly Factored[], scores: readonly (readonly number[])[]): Found[] =>
  Array.from({ length: members[0].rank }, (_, r) => {
    const componentScores = scores.map((ofModel) => ofModel[r])
    return {
      in: 1 + componentScores.filter((score) => score >= LEAST_MATCH).length,
      of: members.length,
      match: componentScores.length > 0 ? meanOf(componentScores) : 1,
    }
  })

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length

/**
 * Factor match scores (R × S) of each of the R components of one member with each of the S of another.
 * @param counts per mode, the entries of rows, by which they are weighted; equal weights if undefined
 */
function congruence(
  first: Factored,
  second: Factored,
  counts: FactorView['counts'],
): { scores: Float64Array; rank: number; others: number } {
  const [R, S] = [first.rank, second.rank]
  const scores = new Float64Array(R * S).fill(1)
  first.factors.forEach((a, mode) => {
    const b = second.factors[mode]
    const products = new Float64Array(R * S)
    const [ofA, ofB] = [new Float64Array(R), new Float64Array(S)]
    for (let row = 0; row * R < a.length; row++) {
      const entries = counts[mode]?.[row] ?? 1
      for (let s = 0; s < S; s++) ofB[s] += entries * b[row * S + s] ** 2
      for (let r = 0; r < R; r++) {
        const x = entries * a[row * R + r]
        if (x === 0) continue
        ofA[r] += x * a[row * R + r]
        for (let s = 0; s < S; s++) products[r * S + s] += x * b[row * S + s]
      }
    }
    for (let at = 0; at < scores.length; at++) {
      const lengths = Math.sqrt(ofA[Math.floor(at / S)] * ofB[at % S])
      scores[at] *= lengths > 0 ? products[at] / lengths : 0
    }
  })
  return { scores, rank: R, others: S }
}

/**
 * For each component of one model, the score of its match in the other, by greedy matching; 0 without a
 * match.
 */
function matchComponents({ scores, rank, others }: ReturnType<typeof congruence>): number[] {
  const pairs = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b)
  const best = new Array<number>(rank).fill(0)
  const [isMatched, isTaken] = [new Uint8Array(rank), new Uint8Array(others)]
  for (const pair of pairs) {
    const [r, s] = [Math.floor(pair / others), pair % others]
    if (isMatched[r] || isTaken[s]) continue
    isMatched[r] = isTaken[s] = 1
    best[r] = scores[pair]
  }
  return best
}
