/**
 * A sum of float64 numbers without rounding, hence the same in any order and on any number of processes.
 * Mantissas are added as whole numbers, one counter per exponent; the sum is rounded once, when it is read.
 */

/** Bits in the lower half of a mantissa (53 bits), which is added in two halves. */
const LOW_BITS = 26
/** Most numbers that are added before the counters, being float64, might become inexact. */
const MOST_ADDED = 2 ** 25
/** Exponent of the smallest float64 above 0, 2⁻¹⁰⁷⁴. */
const SMALLEST_EXPONENT = -1074

/** An exact sum of float64 numbers, independent of their order. */
export class ExactSum {
  /** The counters: per exponent, the sums of the upper and of the lower halves of mantissas. */
  readonly #halves = new Float64Array(2 * 2048)
  /** Numbers in the counters. */
  #added = 0
  /** The sum of what is not in the counters, in units of 2⁻¹⁰⁷⁴. */
  #settled = 0n

  /** Adds a finite number exactly. */
  add(x: number): void {
    number[0] = x
    const exponent = (words[1] >>> 20) & 0x7ff
    // Numbers that are almost zero have no leading one, and the exponent of the next larger ones.
    const upper = (words[1] & 0xfffff) | (exponent > 0 ? 0x100000 : 0)
    const high = upper * 64 + (words[0] >>> LOW_BITS)
    const low = words[0] & (2 ** LOW_BITS - 1)
    const at = 2 * Math.max(1, exponent)
    if (x < 0) {
      this.#halves[at] -= high
      this.#halves[at + 1] -= low
    } else {
      this.#halves[at] += high
      this.#halves[at + 1] += low
    }
    if (++this.#added >= MOST_ADDED) this.#settle()
  }

  /**
   * Adds the counters of another sum, as the kernel of cross-fitting makes them.
   * @param counters per exponent, the sums of the upper and of the lower halves of mantissas
   * @param added how many numbers they are of, at most 2²⁵
   */
  addCounters(counters: Float64Array, added: number): void {
    if (this.#added + added > MOST_ADDED) this.#settle()
    for (let at = 0; at < counters.length; at++) this.#halves[at] += counters[at]
    this.#added += added
  }

  /** Moves the counters to the sum of whole numbers, and clears them. */
  #settle(): void {
    for (let at = 2; at < this.#halves.length; at += 2) {
      const [high, low] = [this.#halves[at], this.#halves[at + 1]]
      if (high === 0 && low === 0) continue
      this.#settled += ((BigInt(high) << BigInt(LOW_BITS)) + BigInt(low)) << BigInt(at / 2 - 1)
    }
    this.#halves.fill(0)
    this.#added = 0
  }

  /** Returns the sum as the decimal digits of a whole number, for `addAll` in another process. */
  toString(): string {
    this.#settle()
    return this.#settled.toString()
  }

  /** Adds another sum. @param text its toString() */
  addAll(text: string): void {
    this.#settled += BigInt(text)
  }

  /** The sum, rounded to float64. */
  get value(): number {
    this.#settle()
    const magnitude = this.#settled < 0n ? -this.#settled : this.#settled
    // Enough leading bits for Number to round, few enough not to overflow.
    const shift = Math.max(0, 4 * magnitude.toString(16).length - 128)
    const value =
      Number(magnitude >> BigInt(shift)) * 2 ** Math.max(SMALLEST_EXPONENT, SMALLEST_EXPONENT + shift)
    return this.#settled < 0n ? -value : value
  }
}

/** A float64, and its lower and upper 32 bits. */
const number = new Float64Array(1)
const words = new Uint32Array(number.buffer)
