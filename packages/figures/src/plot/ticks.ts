/** Logarithmic axes with few, round ticks. */

/** Leading digits of ticks, from few to many; an axis takes the first set that gives it enough ticks. */
const DIGITS = [
  [1],
  [1, 3],
  [1, 2, 5],
  [1, 1.5, 2, 3, 5, 7],
  [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9],
]
/** Space on either side of the data, relative to the length of the axis. */
const MARGIN = 0.04

/**
 * Returns a logarithmic scale of Observable Plot that covers the numbers; ticks are labelled without
 * exponents.
 * @param numbers the data; values that are not positive and finite are ignored
 * @param wanted the fewest ticks, where that many round numbers exist
 */
export function logScale(numbers: readonly number[], wanted: number) {
  const positive = numbers.filter((x) => x > 0 && Number.isFinite(x))
  let [low, high] = [Math.min(...positive), Math.max(...positive)]
  if (low === high) [low, high] = [low / 1.5, high * 1.5]
  const margin = (high / low) ** MARGIN
  const domain: [number, number] = [low / margin, high * margin]
  return { type: 'log' as const, domain, ticks: logTicks(domain, wanted), tickFormat: formatTick }
}

/** Returns at least `wanted` round numbers in a range where possible, and at most 2 · wanted + 1. */
function logTicks([low, high]: [number, number], wanted: number): number[] {
  const powers: number[] = []
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) powers.push(power)
  let ticks: number[] = []
  for (const digits of DIGITS) {
    ticks = powers
      .flatMap((power) => digits.map((digit) => Number(`${digit}e${power}`)))
      .filter((tick) => tick >= low && tick <= high)
    if (ticks.length >= wanted) break
  }
  // If that gives too many, every other tick is left out.
  while (ticks.length > 2 * wanted + 1) ticks = ticks.filter((_, i) => i % 2 === 0)
  return ticks
}

/** A number without an exponent, with the two significant digits that ticks have: 0.0015, 20, 1000. */
const formatTick = (x: number): string => String(Number(x.toPrecision(2)))
