import type { CpModel } from 'lacuna'
import { draw, purpose, stream, unit } from 'lacuna/internal'

/** Of a component that is yet to be learned: this share of an average one, so that it hardly disturbs the others. */
const FRESH = 0.3

/** Factors of another rank to go on from: the strongest components stay, new ones begin small and random. */
export function withRank({ dims, rank, factors }: CpModel, wanted: number): Float32Array[] {
  if (wanted === rank) return factors.map((factor) => factor.slice())
  const kept = componentOrder({ rank, factors }).slice(0, wanted)
  return factors.map((factor, mode) => {
    const key = stream(wanted, purpose.newComponents, mode)
    const scale = FRESH ** (1 / dims.length) * 2 * mean(factor)
    const changed = new Float32Array(dims[mode] * wanted)
    for (let row = 0; row < dims[mode]; row++)
      for (let r = 0; r < wanted; r++) {
        const at = row * wanted + r
        changed[at] = r < kept.length ? factor[row * rank + kept[r]] : scale * unit(draw(key, at))
      }
    return changed
  })
}

/** The components, the one that explains most first. */
export function componentOrder(model: Pick<CpModel, 'rank' | 'factors'>): number[] {
  const weights = componentWeights(model)
  return weights.map((_, r) => r).sort((a, b) => weights[b] - weights[a] || a - b)
}

/** ‖a_r⁽¹⁾‖ ⋯ ‖a_r⁽ᴺ⁾‖ */
export function componentWeights({ rank, factors }: Pick<CpModel, 'rank' | 'factors'>): number[] {
  const weights = new Array<number>(rank).fill(1)
  for (const factor of factors) {
    const squares = new Float64Array(rank)
    for (let at = 0; at < factor.length; at++) squares[at % rank] += factor[at] ** 2
    for (let r = 0; r < rank; r++) weights[r] *= Math.sqrt(squares[r])
  }
  return weights
}

function mean(numbers: Float32Array): number {
  let sum = 0
  for (const x of numbers) sum += x
  return sum / numbers.length
}
