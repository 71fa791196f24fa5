/** The contributions of components to predictions. */
import { componentShares, factorView, type TensorModel } from 'lacuna/internal'

/** Returns the fraction of the prediction of a cell that is due to each component, by number − 1. */
export type FractionsAt = (cell: readonly number[]) => Float64Array

/** Makes a function that returns the fractions of a prediction; of an ensemble, those in its first model. */
export function fractionFinder(model: TensorModel): FractionsAt {
  const view = factorView(model)
  const { units } = view
  const [{ rank, factors }] = view.members
  const { order } = componentShares(view)
  return (cell) => {
    const terms = new Float64Array(rank).fill(1)
    units.forEach((unit, k) => {
      // The last of the merged modes varies fastest.
      const row = unit.reduce((at, mode) => at * model.dims[mode] + cell[mode], 0)
      for (let r = 0; r < rank; r++) terms[r] *= factors[k][row * rank + r]
    })
    const total = terms.reduce((sum, term) => sum + term, 0)
    return Float64Array.from(order, (r) => (total > 0 ? terms[r] / total : 0))
  }
}

/** The components of at least 5% of a prediction, the largest first, at most `most`. */
export function mainComponents(fractions: Float64Array, most = 3): { number: number; fraction: number }[] {
  return Array.from(fractions, (fraction, i) => ({ number: i + 1, fraction }))
    .filter(({ fraction }) => fraction >= 0.05)
    .sort((a, b) => b.fraction - a.fraction)
    .slice(0, most)
}
