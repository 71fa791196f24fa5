/** Digits that ticks may have, from few to many; a logarithmic axis takes the first that give it enough. */
const DIGITS = [
  [1],
  [1, 3],
  [1, 2, 5],
  [1, 1.5, 2, 3, 5, 7],
  [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9],
]
/** A little room beside what is drawn. */
const ROOM = 0.04

/** A logarithmic scale for Plot that holds the numbers, every tick of it labelled without an exponent. */
export function logScale(numbers: readonly number[], wanted: number) {
  const positive = numbers.filter((x) => x > 0 && Number.isFinite(x))
  let [low, high] = [Math.min(...positive), Math.max(...positive)]
  if (low === high) [low, high] = [low / 1.5, high * 1.5]
  const room = (high / low) ** ROOM
  const domain: [number, number] = [low / room, high * room]
  return { type: 'log' as const, domain, ticks: logTicks(domain, wanted), tickFormat: plainNumber }
}

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
  // Too many, then: some digits of one power only, or every other power.
  while (ticks.length > 2 * wanted + 1) ticks = ticks.filter((_, i) => i % 2 === 0)
  return ticks
}

/** 0.0015, 20, 1000; two digits tell all ticks apart. */
const plainNumber = (x: number): string => String(Number(x.toPrecision(2)))
