/**
 * Which components the models of an ensemble agree on. Two are alike by the product over the modes of the cosines of their
 * columns (their factor match score; Tucker's congruence, mode by mode), rows counting by their entries: what a row of one
 * entry is like says little. Components are matched greedily, the most alike first, each with one of the other model.
 */

import type { Factored, Predictor } from '../factored.ts'
import { type FactorView, factorView } from '../factorView.ts'

/** From this score on a component of one model is that of the other; in three modes, columns with cosines of 0.95. */
export const SAME = 0.85

/** How well a component of the first model is found in the others. */
export interface Found {
  /** Models that have it, the first among them. */
  in: number
  /** All models. */
  of: number
  /** The mean of its scores in the other models. */
  match: number
}

/** How far models of the same data have the same components. */
export interface Stability {
  /** By the components' columns in the first model's factors. */
  components: Found[]
  /** The mean over all pairs of models and their components. */
  match: number
}

/** Compares the members of an ensemble; a single model agrees with itself. */
export function stabilityOf(model: Predictor): Stability {
  const { members, counts } = factorView(model)
  const scores = members.flatMap((first, a) =>
    members.slice(a + 1).map((second) => matchComponents(congruence(first, second, counts))),
  )
  // The first pairs are those of the first model.
  const components = found(members, scores.slice(0, members.length - 1))
  const all = scores.flat()
  return { components, match: all.length > 0 ? meanOf(all) : 1 }
}

/** The same without what the other models have in common, which takes most of the time. */
export function foundOf(model: Predictor): Found[] {
  const { members, counts } = factorView(model)
  const [first, ...others] = members
  return found(
    members,
    others.map((other) => matchComponents(congruence(first, other, counts))),
  )
}

const found = (members: readonly Factored[], scores: readonly (readonly number[])[]): Found[] =>
  Array.from({ length: members[0].rank }, (_, r) => {
    const own = scores.map((ofModel) => ofModel[r])
    return {
      in: 1 + own.filter((score) => score >= SAME).length,
      of: members.length,
      match: own.length > 0 ? meanOf(own) : 1,
    }
  })

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length

/** (R × S), of each component of the one model and each of the other: the product of cosines, rows by their entries. */
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

/** For each component of the one model, the score of that of the other which is its own. */
function matchComponents({ scores, rank, others }: ReturnType<typeof congruence>): number[] {
  const pairs = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b)
  const best = new Array<number>(rank).fill(0)
  const [isGiven, isTaken] = [new Uint8Array(rank), new Uint8Array(others)]
  for (const pair of pairs) {
    const [r, s] = [Math.floor(pair / others), pair % others]
    if (isGiven[r] || isTaken[s]) continue
    isGiven[r] = isTaken[s] = 1
    best[r] = scores[pair]
  }
  return best
}
