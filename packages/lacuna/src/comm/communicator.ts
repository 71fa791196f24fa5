/**
 * The processes that work together, as the main thread reaches them: through the first of its threads. Arrays that pass
 * must lie over shared memory.
 */
import { InputError, type InputErrorCode, type Sentence } from '../base/inputError.ts'
import { uint32Array } from '../base/sharedArrays.ts'
import type { Processes } from '../engine/cpu/threads/messages.ts'
import type { Pool } from '../engine/cpu/threads/pool.ts'

export class World implements Processes {
  readonly process: number
  readonly processes: number
  readonly neighbours: number
  readonly #pool: Pool
  /** What has been asked for and not begun, by name, and who waits for it to be asked for. */
  readonly #asked = new Map<string, () => Promise<void>>()
  #expected: { name: string; come(work: () => Promise<void>): void } | undefined
  #isWorking = false

  constructor(pool: Pool, { process, processes, neighbours }: Processes) {
    this.#pool = pool
    this.process = process
    this.processes = processes
    this.neighbours = neighbours
  }

  /**
   * Does what all processes do together, one thing at a time and everywhere in the same order, that in which the first
   * process asked for them: in the others some may be asked for earlier than others. Things of one name are the same.
   */
  async inTurn<T>(problem: number, step: number, work: () => Promise<T>): Promise<T> {
    if (this.processes === 1) return work()
    return new Promise((resolve, reject) => {
      const name = `${problem}.${step}`
      const begin = (): Promise<void> => work().then(resolve, reject)
      this.#asked.set(name, begin)
      if (this.#expected?.name === name) this.#expected.come(begin)
      if (!this.#isWorking) this.#work().catch(reject)
    })
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    while (this.#asked.size > 0) {
      const [first] = this.#asked.keys()
      const numbers = new Float64Array(uint32Array(4).buffer)
      numbers.set(first.split('.').map(Number))
      await this.#pool.ask([0], () => ({ type: 'tell', numbers }))
      const name = numbers.join('.')
      const work = this.#asked.get(name) ?? (await this.#expect(name))
      this.#asked.delete(name)
      await work()
    }
    this.#isWorking = false
  }

  #expect(name: string): Promise<() => Promise<void>> {
    return new Promise((come) => {
      this.#expected = { name, come }
    })
  }

  /** Adds up whole numbers over all processes, modulo 2³². */
  async addUp(...counts: Uint32Array[]): Promise<void> {
    if (this.processes > 1) await this.#pool.ask([0], () => ({ type: 'addUp', counts }))
  }

  /** Sends words to the others: lengths[k] to process k; returns how many each of them sent. */
  async deal(outgoing: Uint32Array, lengths: readonly number[], incoming: Uint32Array): Promise<number[]> {
    const [came] = await this.#pool.ask([0], () => ({ type: 'deal', outgoing, lengths, incoming }))
    return came as number[]
  }

  /** Everyone's words, by process. */
  async gather(own: Uint32Array): Promise<Uint32Array[]> {
    const lengths = uint32Array(this.processes)
    lengths[this.process] = own.length
    const each = Array.from({ length: this.processes }, (_, k) => k)
    await this.bring(
      lengths,
      each,
      each.map(() => 1),
    )
    const counts = [...lengths]
    const starts = counts.map((_, k) => counts.slice(0, k).reduce((sum, count) => sum + count, 0))
    const words = uint32Array(starts[starts.length - 1] + counts[counts.length - 1])
    words.set(own, starts[this.process])
    await this.bring(words, starts, counts)
    return counts.map((count, k) => words.slice(starts[k], starts[k] + count))
  }

  /** Brings words up to date: those from starts[k] on, lengths[k] of them, are process k's. */
  async bring(words: Uint32Array, starts: readonly number[], lengths: readonly number[]): Promise<void> {
    if (this.processes > 1) await this.#pool.ask([0], () => ({ type: 'gather', words, starts, lengths }))
  }

  /** Everyone's numbers, by process. */
  async gatherNumbers(...own: number[]): Promise<number[][]> {
    const all = await this.gather(new Uint32Array(Float64Array.from(own).buffer))
    return all.map((words) => [...new Float64Array(words.slice().buffer)])
  }

  /** Everyone's texts, by process. */
  async gatherTexts(own: string): Promise<string[]> {
    const bytes = new TextEncoder().encode(own)
    const words = new Uint32Array(1 + Math.ceil(bytes.length / 4))
    words[0] = bytes.length
    new Uint8Array(words.buffer).set(bytes, 4)
    const all = await this.gather(words)
    return all.map((text) => new TextDecoder().decode(new Uint8Array(text.slice().buffer, 4, text[0])))
  }

  /** The bytes that the first process has, for all. */
  async bytesOfFirst(own: Uint8Array): Promise<Uint8Array> {
    const [[length]] = await this.gatherNumbers(own.length)
    const words = uint32Array(Math.ceil(length / 4))
    if (this.process === 0) new Uint8Array(words.buffer).set(own)
    const none = new Array(this.processes - 1).fill(0)
    await this.bring(words, [0, ...none], [words.length, ...none])
    return new Uint8Array(words.buffer).slice(0, length)
  }

  /** What one process says, to all. */
  async told(process: number, say: () => string | Promise<string>): Promise<string> {
    return (await this.gatherTexts(process === this.process ? await say() : ''))[process]
  }

  /**
   * Does something that may fail in one process and not in others: if it does anywhere, it does everywhere, and the
   * sentence says in which, unless that has nothing to do with it.
   */
  async together<T>(work: () => T | Promise<T>, who: 'named' | 'unnamed' = 'named'): Promise<T> {
    if (this.processes === 1) return work()
    let result: T | undefined
    let failure: unknown
    try {
      result = await work()
    } catch (error) {
      failure = error
    }
    const all = await this.gatherTexts(
      failure === undefined ? '' : JSON.stringify([codeOf(failure), sentenceOf(failure)]),
    )
    const first = all.findIndex((text) => text !== '')
    if (first < 0) return result as T
    const [code, sentence] = JSON.parse(all[first]) as [InputErrorCode | null, Sentence]
    // What goes wrong everywhere has nothing to do with any process, even if each has figures of its own to it.
    const isAlike = (text: string): boolean =>
      text === all[first] || (text !== '' && code !== null && JSON.parse(text)[0] === code)
    const isCommon = who === 'unnamed' || all.every(isAlike)
    const where = isCommon ? '' : `process ${first + 1} of ${this.processes}: `
    if (code === null) throw failure ?? new Error(`${where}${sentence}`)
    throw new InputError(code, [where, ...sentence], { cause: failure })
  }
}

const codeOf = (error: unknown): InputErrorCode | null => (error instanceof InputError ? error.code : null)
const sentenceOf = (error: unknown): Sentence =>
  error instanceof InputError ? error.sentence : [error instanceof Error ? error.message : String(error)]
