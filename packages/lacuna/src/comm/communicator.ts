/**
 * The communicator: the processes of a job and their collective operations, as the main thread calls them. A
 * job of one process has a communicator of size 1, `singleProcess`; between several processes the operations
 * run on another thread (Transport), so that the main thread is never blocked.
 */
import { InputError, type InputErrorCode, type Sentence } from '../base/inputError.ts'
import { uint32Array } from '../base/sharedArrays.ts'
import { waitFor } from '../base/waits.ts'
import { type Ranks, singleExchange, singleRank } from './exchange.ts'

/**
 * The operations of an Exchange that runs on another thread. Arrays that are passed must lie over shared
 * memory.
 */
export interface Transport {
  /** Overwrites the numbers with those of the root. */
  broadcast(numbers: Float64Array): Promise<void>
  /** Replaces each whole number by its sum over all processes, modulo 2³². */
  allReduce(counts: readonly Uint32Array[]): Promise<void>
  /** Completes an array of which each process has one piece, as Exchange.allGather. */
  allGather(words: Uint32Array, starts: readonly number[], lengths: readonly number[]): Promise<void>
  /** Sends words from every process to every process, as Exchange.allToAll. */
  allToAll(outgoing: Uint32Array, lengths: readonly number[], incoming: Uint32Array): Promise<number[]>
  /** Replaces the memory of a buffer by memory that all processes share, as Exchange.shareMemory. */
  shareMemory(buffer: ArrayBufferLike): Promise<boolean>
}

/**
 * The transport of a job of one process: an array keeps its values, and a message goes back to its sender.
 */
const singleTransport: Transport = {
  async broadcast() {},
  async allReduce() {},
  async allGather() {},
  allToAll: async (outgoing, lengths, incoming) => singleExchange.allToAll(outgoing, lengths, incoming),
  shareMemory: async () => false,
}

/** The processes of a job and the operations that all of them call together, in the same order. */
export class Communicator implements Ranks {
  readonly rank: number
  readonly size: number
  readonly hostSize: number
  readonly sharesMemory: boolean
  readonly #transport: Transport
  /**
   * Ordered operations that this process has requested and not begun, by name, in the order of their
   * requests.
   */
  readonly #requested = new Map<string, () => Promise<void>>()
  /** The ordered operation that the root has begun and this process has not requested yet. */
  #awaited: { name: string; resolve(operation: () => Promise<void>): void } | undefined
  #isRunning = false

  /** @param transport the operations between the processes @param ranks the position of this process */
  constructor(transport: Transport, { rank, size, hostSize, sharesMemory }: Ranks) {
    this.#transport = transport
    this.rank = rank
    this.size = size
    this.hostSize = hostSize
    this.sharesMemory = sharesMemory
  }

  /** True on rank 0, the only process that writes files and prints. */
  get isRoot(): boolean {
    return this.rank === 0
  }

  /**
   * Runs an operation in the order of the root: operations of all processes run one at a time, in the order
   * in which the root requested them. Other processes may request them in another order.
   * @param problem @param step together they name the operation, alike in all processes
   */
  async runInOrder<T>(problem: number, step: number, operation: () => Promise<T>): Promise<T> {
    if (this.size === 1) return operation()
    const name = `${problem}.${step}`
    return waitFor(`the turn and end of operation ${name} of all processes`, (resolve, reject) => {
      const begin = (): Promise<void> => operation().then(resolve, reject)
      this.#requested.set(name, begin)
      if (this.#awaited?.name === name) this.#awaited.resolve(begin)
      if (!this.#isRunning) this.#runRequested().catch(reject)
    })
  }

  /**
   * Runs requested operations until none is left, one at a time: the root broadcasts the name of its oldest
   * one, and the others run that one, or wait until they request it.
   */
  async #runRequested(): Promise<void> {
    this.#isRunning = true
    while (this.#requested.size > 0) {
      const [first] = this.#requested.keys()
      const numbers = new Float64Array(uint32Array(4).buffer)
      numbers.set(first.split('.').map(Number))
      await this.#transport.broadcast(numbers)
      const name = numbers.join('.')
      const begin = this.#requested.get(name) ?? (await this.#awaitRequest(name))
      this.#requested.delete(name)
      await begin()
    }
    this.#isRunning = false
  }

  /** Resolves with an operation once this process requests it by `runInOrder`. */
  #awaitRequest(name: string): Promise<() => Promise<void>> {
    return waitFor(`this process to request operation ${name}, which the root has begun`, (resolve) => {
      this.#awaited = { name, resolve }
    })
  }

  /** Replaces whole numbers in shared memory by their sums over all processes, modulo 2³². */
  async allReduce(...counts: Uint32Array[]): Promise<void> {
    if (this.size > 1) await this.#transport.allReduce(counts)
  }

  /**
   * Returns sums over all processes, position by position, added in the order of the ranks.
   * @param own the numbers of this process, equally many in all processes
   */
  async sumNumbers(...own: number[]): Promise<number[]> {
    const all = await this.allGatherNumbers(...own)
    return own.map((_, i) => all.reduce((sum, numbers) => sum + numbers[i], 0))
  }

  /**
   * Sends words in shared memory from every process to every process.
   * @param outgoing the words for process 0, then those for process 1, and so on
   * @param lengths the number of words for each process
   * @param incoming receives the words, ordered by the rank of their sender
   * @returns the number of words received from each process
   */
  async allToAll(
    outgoing: Uint32Array,
    lengths: readonly number[],
    incoming: Uint32Array,
  ): Promise<number[]> {
    return this.#transport.allToAll(outgoing, lengths, incoming)
  }

  /**
   * Replaces the memory of a buffer, of equal size in all processes, by memory that all of them share, filled
   * with zeros. Throws an InputError in all processes if one of them cannot.
   */
  async shareMemory(buffer: ArrayBufferLike): Promise<void> {
    if (await this.#transport.shareMemory(buffer)) return
    throw new InputError(
      'memory',
      `The processes of this machine cannot share ${buffer.byteLength} bytes of memory; use one process with more threads.`,
    )
  }

  /** Barrier: resolves when all processes have called it. */
  async barrier(): Promise<void> {
    await this.allReduce(uint32Array(1))
  }

  /** Returns the words of every process, by rank. */
  async allGather(own: Uint32Array): Promise<Uint32Array[]> {
    const lengths = uint32Array(this.size)
    lengths[this.rank] = own.length
    const ranks = Array.from({ length: this.size }, (_, k) => k)
    await this.allGatherInto(
      lengths,
      ranks,
      ranks.map(() => 1),
    )
    const counts = [...lengths]
    const starts = counts.map((_, k) => counts.slice(0, k).reduce((sum, count) => sum + count, 0))
    const words = uint32Array(starts[starts.length - 1] + counts[counts.length - 1])
    words.set(own, starts[this.rank])
    await this.allGatherInto(words, starts, counts)
    return counts.map((count, k) => words.slice(starts[k], starts[k] + count))
  }

  /**
   * Completes an array in shared memory of which each process has one piece.
   * @param words the array; piece k begins at starts[k], has lengths[k] words, and is valid in process k
   */
  async allGatherInto(
    words: Uint32Array,
    starts: readonly number[],
    lengths: readonly number[],
  ): Promise<void> {
    if (this.size > 1) await this.#transport.allGather(words, starts, lengths)
  }

  /** Returns the numbers of every process, by rank; processes may have different counts of them. */
  async allGatherNumbers(...own: number[]): Promise<number[][]> {
    if (this.size === 1) return [own]
    const all = await this.allGather(new Uint32Array(Float64Array.from(own).buffer))
    return all.map((words) => [...new Float64Array(words.slice().buffer)])
  }

  /** Returns the text of every process, by rank. */
  async allGatherTexts(own: string): Promise<string[]> {
    if (this.size === 1) return [own]
    const bytes = new TextEncoder().encode(own)
    const words = new Uint32Array(1 + Math.ceil(bytes.length / 4))
    words[0] = bytes.length
    new Uint8Array(words.buffer).set(bytes, 4)
    const all = await this.allGather(words)
    return all.map((text) => new TextDecoder().decode(new Uint8Array(text.slice().buffer, 4, text[0])))
  }

  /**
   * Returns the bytes of the root.
   * @param own the bytes of this process, ignored elsewhere than on the root
   */
  async broadcastBytes(own: Uint8Array): Promise<Uint8Array> {
    if (this.size === 1) return own
    const [[length]] = await this.allGatherNumbers(own.length)
    const words = uint32Array(Math.ceil(length / 4))
    if (this.isRoot) new Uint8Array(words.buffer).set(own)
    const none = new Array(this.size - 1).fill(0)
    await this.allGatherInto(words, [0, ...none], [words.length, ...none])
    return new Uint8Array(words.buffer).slice(0, length)
  }

  /**
   * Returns, in all processes, a text that one of them makes.
   * @param root the rank of that process
   * @param make called in that process only
   */
  async broadcastText(root: number, make: () => string | Promise<string>): Promise<string> {
    return (await this.allGatherTexts(root === this.rank ? await make() : ''))[root]
  }

  /**
   * Runs work that may fail in some processes: if it fails in one, it fails in all of them with the same
   * error.
   * @param origin whether the message names the process that failed; it never does if all failed alike
   */
  async failTogether<T>(work: () => T | Promise<T>, origin: 'named' | 'unnamed' = 'named'): Promise<T> {
    if (this.size === 1) return work()
    let result: T | undefined
    let failure: unknown
    try {
      result = await work()
    } catch (error) {
      failure = error
    }
    const all = await this.allGatherTexts(
      failure === undefined ? '' : JSON.stringify([codeOf(failure), sentenceOf(failure)]),
    )
    const first = all.findIndex((text) => text !== '')
    if (first < 0) return result as T
    const [code, sentence] = JSON.parse(all[first]) as [InputErrorCode | null, Sentence]
    // A fault of the same code in all processes is no fault of one of them, even if their numbers differ.
    const isAlike = (text: string): boolean =>
      text === all[first] || (text !== '' && code !== null && JSON.parse(text)[0] === code)
    const isCommon = origin === 'unnamed' || all.every(isAlike)
    const where = isCommon ? '' : `process ${first + 1} of ${this.size}: `
    if (code === null) throw failure ?? new Error(`${where}${sentence}`)
    throw new InputError(code, [where, ...sentence], { cause: failure })
  }

  /**
   * Runs work on the root only; if it fails, all processes throw its error.
   * @returns the result on the root, undefined in other processes
   */
  async runOnRoot<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    return this.failTogether(() => (this.isRoot ? work() : undefined), 'unnamed')
  }
}

/** The communicator of a job of one process: no operation waits, and each result is that of one process. */
export const singleProcess = /* @__PURE__ */ new Communicator(singleTransport, singleRank)

/** The code of an InputError, null for any other error. */
const codeOf = (error: unknown): InputErrorCode | null => (error instanceof InputError ? error.code : null)
/** The message of an error, with its options marked if it is an InputError. */
const sentenceOf = (error: unknown): Sentence =>
  error instanceof InputError ? error.sentence : [error instanceof Error ? error.message : String(error)]
