import type { CpModel } from './cpModel.ts'

/**
 * What the model says where some indices are not known: in their modes it takes the mean row of the factor, which
 * gives the mean of its predictions over all rows of these modes. Unknown indices are null.
 */
export function predictKnown(model: CpModel): (coordinate: readonly (number | null)[]) => number {
  const { rank, factors } = model
  const means = factors.map((factor) => {
    const mean = new Float64Array(rank)
    for (let at = 0; at < factor.length; at++) mean[at % rank] += factor[at]
    return mean.map((sum) => sum / (factor.length / rank))
  })
  return (coordinate) => {
    let sum = 0
    for (let r = 0; r < rank; r++) {
      let product = 1
      for (let mode = 0; mode < factors.length; mode++) {
        const index = coordinate[mode]
        product *= index === null ? means[mode][r] : factors[mode][index * rank + r]
      }
      sum += product
    }
    return sum
  }
}
