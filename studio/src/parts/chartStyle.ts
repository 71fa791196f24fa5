/** The same hand in every chart. */
export const chartStyle = {
  fontFamily: 'var(--font)',
  fontSize: '11px',
  background: 'none',
  color: 'var(--soft)',
} as const

/** Few ticks for a logarithmic scale: 1, 2 and 5 times powers of ten, or the powers alone where there are many. */
export function logTicks(values: readonly number[]): number[] {
  const positive = values.filter((value) => value > 0)
  if (positive.length === 0) return []
  const low = Math.min(...positive)
  const high = Math.max(...positive)
  const decades = Math.log10(high / low)
  const steps = decades > 3 ? [1] : decades > 0.5 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9]
  const ticks: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    for (const step of steps) ticks.push(Number(`${step}e${power}`))
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001)
}
