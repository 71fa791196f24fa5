/**
 * Coverage-guided fuzzing of the readers of bytes: inputs are mutated from a corpus, and those that reach new
 * code, by V8's block coverage, join it. A reader must return, or refuse the input in one sentence, within
 * limits of processor time and memory; and its variants must agree.
 */
// @ts-check
import { Session } from 'node:inspector'
import { InputError } from '#lacuna/base/inputError.js'

/**
 * A reader of bytes. `variants` read the same input in other ways and must end alike: with an equal digest, or
 * with a refusal.
 * @typedef {(bytes: Uint8Array) => Promise<unknown> | unknown} Read
 * @typedef {{ read: Read, variants?: Record<string, Read>, seeds: Uint8Array[], tokens?: string[],
 *   mend?: (bytes: Uint8Array) => Uint8Array, every?: number }} Reader
 * @typedef {{ reader: string, fault: string, input: Uint8Array }} Fault
 */

/** Most seconds of processor time, on all threads, for an input of at most MAX_INPUT bytes. */
const MAX_SECONDS = 2
/** Most bytes that the process may grow by over one run. */
const MAX_GROWTH = 300e6
const MAX_INPUT = 2 ** 16

/** Returns a function that gives random whole numbers below a limit. @param {number} seed */
export function randomNumbers(seed) {
  let state = seed >>> 0
  /** @param {number} limit */
  return (limit) => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

/** Tokens that matter in many formats. */
const TOKENS = [
  ...['\n', '\r\n', '\0', ',', ';', '\t', '"', '""', '{', '}', '[', ']', ':', '#', ' ', '\ufeff'],
  ...['0', '-1', '1e308', '1e-50', 'nan', 'inf', '4294967295', '4294967296', '9007199254740993', '-0'],
  ...['null', 'N/A', '2014-04-01', '1/2/2014', '\u2028', '\x1b[31m', '__proto__', 'constructor', '1,5'],
]

/**
 * Changes an input a few times at random.
 * @param {Uint8Array} input @param {readonly Uint8Array[]} corpus @param {(limit: number) => number} random
 * @param {readonly string[]} tokens
 * @returns {Uint8Array}
 */
export function mutate(input, corpus, random, tokens) {
  /** @type {Uint8Array} */
  let bytes = Uint8Array.from(input)
  const splice = (/** @type {number} */ at, /** @type {number} */ count, /** @type {Uint8Array} */ by) => {
    bytes = Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + count)])
  }
  const position = () => random(bytes.length + 1)
  const length = () => 1 + random(random(4) === 0 ? bytes.length + 1 : 16)
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = position()
    switch (random(9)) {
      case 0: // flips a bit
        if (at < bytes.length) bytes[at] ^= 1 << random(8)
        break
      case 1:
        if (at < bytes.length) bytes[at] = random(256)
        break
      case 2:
        splice(at, length(), new Uint8Array(0))
        break
      case 3:
        splice(at, random(2), new TextEncoder().encode(tokens[random(tokens.length)]))
        break
      case 4: // copies a part to another place
        splice(position(), random(8), bytes.slice(at, at + length()))
        break
      case 5: {
        const other = corpus[random(corpus.length)]
        const from = random(other.length + 1)
        splice(at, random(16), other.slice(from, from + length()))
        break
      }
      case 6: // repeats a part
        splice(at, 0, Buffer.concat(new Array(2 + random(50)).fill(bytes.slice(at, at + length()))))
        break
      case 7: {
        // another number in place of one
        const text = Buffer.from(bytes).toString('latin1')
        const numbers = [...text.matchAll(/\d+/g)]
        const found = numbers[random(numbers.length)]
        const number = [0, 1, 2, 255, 2 ** 31, 2 ** 32, 2 ** 53, random(1000)][random(8)]
        if (found) splice(found.index, found[0].length, Buffer.from(String(number)))
        break
      }
      case 8: // a number of four bytes, little-endian
        if (at + 4 <= bytes.length)
          new DataView(bytes.buffer, bytes.byteOffset).setUint32(
            at,
            [0, 1, 2 ** 31, 2 ** 32 - 1][random(4)],
            true,
          )
    }
    if (bytes.length > MAX_INPUT) bytes = bytes.slice(0, MAX_INPUT)
  }
  return bytes
}

/** Scripts whose blocks count: those of the library, and bundled sources of studio and command line. */
const OURS = /\/packages\/lacuna\/dist\/|\/lacuna\/fuzz-bundle-/

/** Inputs that are read before the coverage is looked at, which takes milliseconds. */
const BATCH = 16

/** Measures which blocks of the readers run. */
class Coverage {
  #session = new Session()
  #seen = new Set()

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /**
   * Whether blocks ran since the last call that never ran before, by orders of magnitude of their counts.
   * @param {boolean} remember whether these count as known from now on
   */
  isFresh(remember) {
    let isFresh = false
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      for (const { scriptId, url, functions } of error ? [] : answer.result)
        if (OURS.test(url))
          for (const { ranges } of functions)
            for (const { startOffset, endOffset, count } of ranges) {
              if (count === 0) continue
              const key = `${scriptId} ${startOffset} ${endOffset} ${Math.floor(Math.log2(count) / 2)}`
              if (!this.#seen.has(key)) isFresh = true
              if (remember) this.#seen.add(key)
            }
    })
    return isFresh
  }

  get blocks() {
    return this.#seen.size
  }

  close() {
    this.#session.disconnect()
  }
}

/**
 * Reads an input; its result as text, or `refused`. Throws an error that is no refusal in one sentence.
 * @param {Read} read @param {Uint8Array} input
 */
async function outcomeOf(read, input) {
  try {
    return JSON.stringify(await read(input), (_, value) => {
      if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
      return ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value), String) : value
    })
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    const text = error.message
    if (!/^[^\n]{15,}[.?]$/s.test(text) || /\bundefined\b|\[object|=>|\bNaN is\b/.test(text))
      throw new Error(`It is refused with ${JSON.stringify(text)}.`)
    return 'refused'
  }
}

/**
 * What is wrong with how a reader takes an input; undefined if nothing is.
 * @param {Reader} reader @param {Uint8Array} input @param {boolean} withVariants
 * @returns {Promise<string | undefined>}
 */
export async function faultOf({ read, variants = {} }, input, withVariants) {
  const start = process.cpuUsage()
  try {
    const outcome = await outcomeOf(read, input)
    const { user, system } = process.cpuUsage(start)
    if (user + system > 1e6 * MAX_SECONDS) return `takes ${(user + system) / 1e6} s of processor time`
    for (const [name, variant] of withVariants ? Object.entries(variants) : []) {
      const other = await outcomeOf(variant, input)
      if (other !== outcome)
        return `${name} reads ${other?.slice(0, 300)} where it reads ${outcome?.slice(0, 300)}`
    }
  } catch (error) {
    return error instanceof Error ? (error.stack ?? String(error)).slice(0, 600) : String(error)
  }
}

/**
 * Fuzzes a reader: first the corpus as it is, then mutations until the time is up. Stops at the first fault.
 * @param {string} name @param {Reader} reader
 * @param {{ corpus: readonly Uint8Array[], seconds: number, seed: number, onInput?: (input: Uint8Array) => void }} options
 * @returns {Promise<{ inputs: number, blocks: number, found: Uint8Array[], fault?: Fault }>} `found` are the
 * inputs that reached new code and are not of the corpus
 */
export async function fuzz(name, reader, { corpus, seconds, seed, onInput }) {
  const random = randomNumbers(seed)
  const tokens = [...TOKENS, ...(reader.tokens ?? [])]
  const coverage = new Coverage()
  /** @type {Uint8Array[]} */
  const kept = [...reader.seeds, ...corpus]
  /** @type {Uint8Array[]} */
  const found = []
  const mend = reader.mend ?? ((bytes) => bytes)
  const memory = 1024 * process.resourceUsage().maxRSS
  const end = performance.now() + 1000 * seconds
  let inputs = 0
  /** Reads an input; its fault, if there is any. @param {Uint8Array} input @param {boolean} withVariants */
  const check = async (input, withVariants) => {
    inputs++
    onInput?.(input)
    const fault = await faultOf(reader, input, withVariants)
    const growth = 1024 * process.resourceUsage().maxRSS - memory
    if (!fault && growth <= MAX_GROWTH) return undefined
    return { reader: name, fault: fault ?? `grows the process by ${growth / 1e6} MB`, input }
  }
  try {
    for (const input of kept) {
      const fault = await check(input, true)
      if (fault) return { inputs, blocks: coverage.blocks, found, fault }
    }
    coverage.isFresh(true)
    while (performance.now() < end) {
      const batch = Array.from({ length: BATCH }, () =>
        mend(mutate(kept[random(kept.length)], kept, random, tokens)),
      )
      for (const input of batch) {
        const fault = await check(input, random(reader.every ?? 1) === 0)
        if (fault) return { inputs, blocks: coverage.blocks, found, fault }
      }
      if (!coverage.isFresh(false)) continue
      // Which of them it was shows when each is read again.
      for (const input of batch) {
        await faultOf(reader, input, false)
        if (coverage.isFresh(true)) found.push(input)
      }
      kept.push(...found.slice(kept.length - reader.seeds.length - corpus.length))
    }
    return { inputs, blocks: coverage.blocks, found }
  } finally {
    coverage.close()
  }
}
