import { InputError } from '../../../inputError.ts'

/** Whole numbers below this are looked up in an array, others in a map. */
const SMALL = 2 ** 22
/** What a Map can hold. */
const MOST = 2 ** 24 - 1

/** A whole number that a double does not hold exactly: such a mode must be coded as text. */
export class BeyondPrecision extends Error {
  readonly mode: string

  constructor(mode: string) {
    super(`${mode} has whole numbers beyond 2⁵³`)
    this.mode = mode
  }
}

/** Numbers the distinct values of a mode as they come: 0, 1, 2 … */
export class NumberCoder {
  /** In order of arrival. */
  readonly values: number[] = []
  #small = new Uint32Array(2 ** 12) // code + 1; 0 is none yet
  #large = new Map<number, number>()

  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  code(value: number): number {
    if (value >= 0 && value < SMALL && Number.isInteger(value)) {
      if (value >= this.#small.length) this.#grow(value)
      const found = this.#small[value]
      if (found > 0) return found - 1
      this.#small[value] = this.values.push(value)
      return this.values.length - 1
    }
    const found = this.#large.get(value)
    if (found !== undefined) return found
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw new BeyondPrecision(this.#name)
    if (this.#large.size === MOST)
      throw new InputError(
        'table',
        `The mode ${this.#name} has more than ${MOST} distinct values; bin it, as in week(x) or bins(x, 100).`,
      )
    this.#large.set(value, this.values.length)
    return this.values.push(value) - 1
  }

  #grow(value: number): void {
    const grown = new Uint32Array(Math.min(SMALL, 2 ** Math.ceil(Math.log2(value + 1))))
    grown.set(this.#small)
    this.#small = grown
  }

  /** The values in order, and per code the place of its value among them. */
  sorted(): { values: number[]; places: Uint32Array } {
    const codes = Uint32Array.from(this.values, (_, code) => code)
    codes.sort((a, b) => this.values[a] - this.values[b])
    const places = new Uint32Array(codes.length)
    codes.forEach((code, place) => {
      places[code] = place
    })
    return { values: Array.from(codes, (code) => this.values[code]), places }
  }
}
