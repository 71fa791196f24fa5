/** Random numbers of the examples, the same at every visit. */

/** A source of random numbers. */
export interface Random {
  /** Uniform in [0, 1). */
  unit(): number
  /** Standard normal, by Box and Muller's method. */
  normal(): number
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
  return { unit, normal }
}
