/**
 * Which components the models of an ensemble agree on. Two are alike by the product over the modes of the cosines of their
 * columns (their factor match score; Tucker's congruence, mode by mode), rows counting by their entries: what a row of one
 * entry is like says little. Components are matched greedily, the most alike first, each with one of the other model.
 */
import { asLearned, type Learned } from './asLearned.ts'
import type { Answerer, Factored } from './factored.ts'

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
export function stabilityOf(model: Answerer): Stability {
  const { members, counts } = asLearned(model)
  const columns = members.map((member) => unitColumns(member, counts))
  const scores = members.map((first, a) =>
    members.map((second, b) => (a < b ? matched(congruence(first, columns[a], second, columns[b])) : [])),
  )
  const components = Array.from({ length: members[0].rank }, (_, r) => {
    const own = scores[0].slice(1).map((found) => found[r] ?? 0)
    return {
      in: 1 + own.filter((score) => score >= SAME).length,
      of: members.length,
      match: own.length > 0 ? meanOf(own) : 1,
    }
  })
  const all = scores.flat(2)
  return { components, match: all.length > 0 ? meanOf(all) : 1 }
}

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length

/** Per mode (I × R): rows by the root of their entries, columns of length 1, or of zeros where there is nothing. */
function unitColumns({ rank, factors }: Factored, counts: Learned['counts']): Float64Array[] {
  return factors.map((factor, mode) => {
    const weighted = Float64Array.from(
      factor,
      (x, at) => x * Math.sqrt(counts[mode]?.[Math.floor(at / rank)] ?? 1),
    )
    const squares = new Float64Array(rank)
    weighted.forEach((x, at) => {
      squares[at % rank] += x * x
    })
    return weighted.map((x, at) => (x === 0 ? 0 : x / Math.sqrt(squares[at % rank])))
  })
}

/** (R × S), of each component of the one model and each of the other. */
function congruence(
  first: Factored,
  columns: readonly Float64Array[],
  second: Factored,
  others: readonly Float64Array[],
): { scores: Float64Array; rank: number; others: number } {
  const [R, S] = [first.rank, second.rank]
  const scores = new Float64Array(R * S).fill(1)
  columns.forEach((a, mode) => {
    const b = others[mode]
    const cosines = new Float64Array(R * S)
    for (let row = 0; row * R < a.length; row++)
      for (let r = 0; r < R; r++) {
        const x = a[row * R + r]
        if (x !== 0) for (let s = 0; s < S; s++) cosines[r * S + s] += x * b[row * S + s]
      }
    for (let at = 0; at < scores.length; at++) scores[at] *= cosines[at]
  })
  return { scores, rank: R, others: S }
}

/** For each component of the one model, the score of that of the other which is its own. */
function matched({ scores, rank, others }: ReturnType<typeof congruence>): number[] {
  const pairs = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b)
  const found = new Array<number>(rank).fill(0)
  const [isGiven, isTaken] = [new Uint8Array(rank), new Uint8Array(others)]
  for (const pair of pairs) {
    const [r, s] = [Math.floor(pair / others), pair % others]
    if (isGiven[r] || isTaken[s]) continue
    isGiven[r] = isTaken[s] = 1
    found[r] = scores[pair]
  }
  return found
}
