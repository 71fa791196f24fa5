/**
 * A sum of float64 numbers without any rounding, hence the same in whatever order they come, and in whichever
 * process: the numbers are added as whole numbers, by their exponents, and rounded once, when the sum is
 * asked for.
 */

/**
 * A mantissa of 53 bits is added in two halves. The counters of the halves, being float64, stay exact for so
 * many.
 */
const LOW_BITS = 26
const MOST_ADDED = 2 ** 25
/** The bits of the smallest number above 0. */
const SMALLEST = -1074

/** An exact sum of float64 numbers, independent of their order. */
export class ExactSum {
  /** Per exponent, the sums of the upper and of the lower halves. */
  readonly #halves = new Float64Array(2 * 2048)
  #added = 0
  /** In units of the smallest number. */
  #settled = 0n

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
    if (++this.#added === MOST_ADDED) this.#settle()
  }

  #settle(): void {
    for (let at = 2; at < this.#halves.length; at += 2) {
      const [high, low] = [this.#halves[at], this.#halves[at + 1]]
      if (high === 0 && low === 0) continue
      this.#settled += ((BigInt(high) << BigInt(LOW_BITS)) + BigInt(low)) << BigInt(at / 2 - 1)
    }
    this.#halves.fill(0)
    this.#added = 0
  }

  /** The whole sum as text, for others to add. */
  toString(): string {
    this.#settle()
    return this.#settled.toString()
  }

  addAll(text: string): void {
    this.#settled += BigInt(text)
  }

  get value(): number {
    this.#settle()
    const magnitude = this.#settled < 0n ? -this.#settled : this.#settled
    // Leading bits enough to be rounded once more by Number, few enough to be a number.
    const shift = Math.max(0, 4 * magnitude.toString(16).length - 128)
    const value = Number(magnitude >> BigInt(shift)) * 2 ** Math.max(SMALLEST, SMALLEST + shift)
    return this.#settled < 0n ? -value : value
  }
}

const number = new Float64Array(1)
const words = new Uint32Array(number.buffer)
