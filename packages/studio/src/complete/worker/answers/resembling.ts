/** Finds which of some given rows a row resembles, as a reason for suggesting it. */
import { factorView, type TensorModel } from 'lacuna/internal'
import type { RowNames } from './rowNames.ts'

/** The number of rows that are named. */
const NAMED = 2

/**
 * Makes a function that returns the names of the given rows that resemble a row most: by the cosine of their
 * factor rows, each component divided by its mean, so that what all rows have in common counts little. Rows
 * below the mean of the given values are no reasons.
 */
export function findResembling(
  model: TensorModel,
  names: RowNames,
  mode: number,
  given: readonly { label: string; value: number }[],
): (label: string) => string[] {
  const { units, members, dims } = factorView(model)
  const k = units.findIndex((unit) => unit.length === 1 && unit[0] === mode)
  if (k < 0 || given.length === 0) return () => []
  const [{ rank, factors }] = members
  const means = new Float64Array(rank)
  factors[k].forEach((x, at) => {
    means[at % rank] += x / dims[k]
  })
  const vector = (row: number): Float64Array => {
    const own = Float64Array.from({ length: rank }, (_, r) =>
      means[r] > 0 ? factors[k][row * rank + r] / means[r] : 0,
    )
    const length = Math.sqrt(own.reduce((sum, x) => sum + x * x, 0)) || 1
    return own.map((x) => x / length)
  }
  const mean = given.reduce((sum, { value }) => sum + value, 0) / given.length
  const liked = given
    .filter(({ value }) => value >= mean)
    .map(({ label }) => ({ label, direction: vector(names.row(mode, label)) }))
  return (label) => {
    const own = vector(names.row(mode, label))
    return liked
      .map(({ label, direction }) => ({
        label,
        cosine: direction.reduce((sum, x, r) => sum + x * own[r], 0),
      }))
      .sort((a, b) => b.cosine - a.cosine)
      .slice(0, NAMED)
      .map(({ label }) => label)
  }
}
