/** Warm starts: initial factors from a model of another rank. */
import type { CpModel } from 'lacuna'
import { draw, purpose, stream, unit } from 'lacuna/internal'

/** The size of a new component relative to an average one: small, so that it hardly disturbs the others. */
const NEW_SIZE = 0.3

/**
 * Returns initial factors of another rank, each (dim × wanted): the strongest components of the model, then
 * small random ones.
 * @param wanted the rank of the result
 */
export function changeRank({ dims, rank, factors }: CpModel, wanted: number): Float32Array[] {
  if (wanted === rank) return factors.map((factor) => factor.slice())
  const strongest = componentOrder({ rank, factors }).slice(0, wanted)
  return factors.map((factor, mode) => {
    const key = stream(wanted, purpose.newComponents, mode)
    const scale = NEW_SIZE ** (1 / dims.length) * 2 * mean(factor)
    const changed = new Float32Array(dims[mode] * wanted)
    for (let row = 0; row < dims[mode]; row++)
      for (let r = 0; r < wanted; r++) {
        const at = row * wanted + r
        changed[at] = r < strongest.length ? factor[row * rank + strongest[r]] : scale * unit(draw(key, at))
      }
    return changed
  })
}

/** The numbers of the components, by decreasing weight. */
function componentOrder(model: Pick<CpModel, 'rank' | 'factors'>): number[] {
  const weights = componentWeights(model)
  return weights.map((_, r) => r).sort((a, b) => weights[b] - weights[a] || a - b)
}

/** The weight of each component: ‖a_r⁽¹⁾‖ ⋯ ‖a_r⁽ᴺ⁾‖. */
function componentWeights({ rank, factors }: Pick<CpModel, 'rank' | 'factors'>): number[] {
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
