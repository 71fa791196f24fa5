/** Random numbers of the simulated examples, the same at every visit. */

/** A source of random numbers. */
export interface Random {
  /** Uniform in [0, 1). */
  unit(): number
  /** Standard normal, by Box and Muller's method. */
  normal(): number
  /** Poisson, by a normal approximation from a mean of 30 on. */
  poisson(mean: number): number
}

/** Returns a source of random numbers: mulberry32, which is small and good enough for examples. */
export function random(seed: number): Random {
  let state = seed >>> 0
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit())
  return {
    unit,
    normal,
    poisson(mean) {
      if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()))
      const limit = Math.exp(-mean)
      let count = 0
      for (let product = unit(); product > limit; product *= unit()) count++
      return count
    },
  }
}

/** A Gaussian peak of height 1. */
export const peak = (x: number, centre: number, width: number): number =>
  Math.exp(-(((x - centre) / width) ** 2) / 2)
