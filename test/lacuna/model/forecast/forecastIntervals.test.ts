/** Conformal intervals from the residuals of backtests. */
import { describe, expect, it } from 'vitest'
import { type BacktestEntries, forecastIntervals } from '#lacuna/model/index.js'

const [CELLS, STEPS] = [40, 5]

/** A fixed pseudorandom number between −1 and 1 for each e. */
const chance = (e: number): number => 2 * (Math.abs(Math.sin(12.9898 * (e + 1)) * 43758.5453) % 1) - 1

/**
 * Forecasts of 40 cells, five steps ahead, from several origins; by default residuals grow with the steps.
 * @param shock the size of what all residuals of an origin and step have in common
 * @param predict the forecast of a cell @param sizeOf the size of the residuals of a cell at a step
 */
function backtests(
  origins: number,
  shock: number,
  predict = (cell: number): number => 10 + cell,
  sizeOf = (_cell: number, step: number): number => 1 + step,
): BacktestEntries {
  const count = origins * CELLS * STEPS
  const numbers = Array.from({ length: count }, (_, e) => e)
  const cell = numbers.map((e) => e % CELLS)
  const step = numbers.map((e) => Math.floor(e / CELLS) % STEPS)
  const origin = numbers.map((e) => Math.floor(e / CELLS / STEPS))
  const predictions = Float32Array.from(numbers, (e) => predict(cell[e]))
  const residual = (e: number): number =>
    sizeOf(cell[e], step[e]) * (chance(e) + shock * chance(1000 + 77 * origin[e] + 5 * step[e]))
  return {
    cells: {
      dims: [CELLS, STEPS],
      indices: [Uint32Array.from(cell), Uint32Array.from(step)],
      values: Float32Array.from(numbers, (e) => predictions[e] + residual(e)),
    },
    ...{ mode: 1, predictions, origins: Uint32Array.from(origin) },
  }
}

/** The fraction of the values of later origins in intervals from the first eight, by steps ahead. */
function heldBySteps(make: (origins: number) => BacktestEntries): number[] {
  const { around } = forecastIntervals(make(8), 0.9)
  const { cells, predictions, origins } = make(60)
  const held = Array.from({ length: STEPS }, () => ({ inside: 0, count: 0 }))
  for (let e = 0; e < predictions.length; e++) {
    if (origins[e] < 8) continue
    const [low, high] = around([cells.indices[0][e], cells.indices[1][e]], predictions[e])
    const step = held[cells.indices[1][e]]
    step.count++
    if (cells.values[e] >= low && cells.values[e] <= high) step.inside++
  }
  return held.map(({ inside, count }) => inside / count)
}

describe('the intervals of forecasts', () => {
  it('hold the requested fraction after origins that were left out, also where all cells of an origin err together', () => {
    for (const shock of [0, 1, 3]) {
      const { coverage, coverageByStep } = forecastIntervals(backtests(8, shock), 0.9)
      expect(coverage).toBeGreaterThanOrEqual(0.9)
      expect(coverage).toBeLessThan(0.92)
      expect(coverageByStep).toHaveLength(STEPS)
    }
  })

  it('hold the values of further origins', () => {
    const { around } = forecastIntervals(backtests(8, 1), 0.9)
    const { cells, predictions, origins } = backtests(60, 1)
    let [held, count] = [0, 0]
    for (let e = 0; e < predictions.length; e++) {
      if (origins[e] < 8) continue
      const [low, high] = around([cells.indices[0][e], cells.indices[1][e]], predictions[e])
      count++
      if (cells.values[e] >= low && cells.values[e] <= high) held++
    }
    expect(held / count).toBeGreaterThan(0.87)
    expect(held / count).toBeLessThan(0.93)
  })

  it('hold the values at each number of steps ahead, where errors grow with the steps', () => {
    // From 320 errors of each step; with factors that are shrunk towards 1 the first step has 0.99.
    for (const held of heldBySteps((origins) => backtests(origins, 0))) {
      expect(held).toBeGreaterThan(0.85)
      expect(held).toBeLessThan(0.95)
    }
  })

  it('hold the values at each number of steps ahead, where few large values err more at one of them', () => {
    const isLarge = (cell: number): boolean => cell < 4
    const predict = (cell: number): number => (isLarge(cell) ? 1000 : 10) + cell
    const sizeOf = (cell: number, step: number): number => (isLarge(cell) ? (step === 2 ? 150 : 50) : 1)
    // With sizes of steps by residuals in units of the values, the third step has 0.99.
    for (const held of heldBySteps((origins) => backtests(origins, 0, predict, sizeOf))) {
      expect(held).toBeGreaterThan(0.84)
      expect(held).toBeLessThan(0.96)
    }
  })

  it('are wider further ahead, as the residuals are, and wider at a higher level', () => {
    const width = (level: number, step: number): number => {
      const [low, high] = forecastIntervals(backtests(6, 0.5), level).around([3, step], 13)
      return high - low
    }
    expect(width(0.9, 4)).toBeGreaterThan(2.5 * width(0.9, 0))
    expect(width(0.9, 2)).toBeGreaterThan(width(0.5, 2))
  })

  it('are refused with few origins or residuals, and outside of 0 to 1', () => {
    expect(() => forecastIntervals(backtests(2, 0), 0.9)).toThrow(
      'There are 400 errors of 2 backtests, too few for intervals that hold 90%: 80 errors of 3 backtests are needed; give a larger backtest, or leave out interval.',
    )
    expect(() => forecastIntervals(backtests(3, 0), 0.999)).toThrow('600 errors of 3 backtests, too few')
    expect(() => forecastIntervals(backtests(3, 0), 1)).toThrow('interval is 1; it must lie between 0 and 1.')
  })
})
