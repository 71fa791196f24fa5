/**
 * How far counts that should be equal are from it: Pearson's chi-square in standard deviations from its mean.
 * Chance alone gives more than 4 about once in 10⁴ times, and the seeds of the tests are fixed.
 */
export function chiSquare(counts: ArrayLike<number>): number {
  const list = Array.from(counts)
  const expected = list.reduce((sum, count) => sum + count, 0) / list.length
  const statistic = list.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  const freedom = list.length - 1
  return (statistic - freedom) / Math.sqrt(2 * freedom)
}
