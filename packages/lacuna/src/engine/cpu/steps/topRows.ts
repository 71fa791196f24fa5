/** The best rows of a matrix for many questions, on all threads (kernels/solve/top.ts). */
import * as at from '../../../kernels/solve/layout.ts'
import { newMemory } from '../memory/memoryPool.ts'
import { compileKernel } from '../threads/compileKernel.ts'
import { paddedRanks } from '../threads/kernel.ts'
import { canShareMemory, hardwareThreads } from '../threads/platform.ts'
import { callingThreadPool, startPool } from '../threads/startPool.ts'

/** A matrix whose rows are searched, and limits on the questions. */
export interface TopProblem {
  /** (rows × length), row-major: the score of a row for a question is their dot product. */
  rows: Float32Array
  /** Components of a row. */
  length: number
  /** The most answers per question. */
  most: number
  /** The most questions per call. */
  questionsAtATime: number
  /** The most rows that the questions of a call exclude, in total. */
  excludedAtATime: number
  /** Worker threads; all cores by default. */
  threads?: number
}

/** Questions that are asked together. */
export interface TopQuestions {
  /** Number of questions. */
  count: number
  /** Writes the questions, one vector each, into an array of zeros (count × length). */
  write(into: Float32Array): void
  /** The rows that may not answer a question, ascending; none by default. */
  excluded?(question: number): ArrayLike<number>
}

/** The best rows of each question. Both arrays are over shared memory, valid until the next call. */
export interface TopAnswers {
  /** (count × most) Rows, best first. */
  best: Uint32Array
  /** (count × most) The scores of these rows; −1 where there are no more rows. */
  scores: Float32Array
}

/** Bytes of a page of WebAssembly memory. */
const PAGE = 65536
/** Bytes, rounded up to whole cache lines. */
const aligned = (bytes: number): number => Math.ceil(bytes / 64) * 64

/** A matrix in shared memory that answers questions until it is closed. */
export class TopEngine {
  readonly #problem: TopProblem
  readonly #memory: WebAssembly.Memory
  readonly #layout: ReturnType<typeof layOut>
  readonly #pool: ReturnType<typeof startPool>
  readonly #module: WebAssembly.Module

  private constructor(problem: TopProblem, module: WebAssembly.Module) {
    this.#problem = problem
    this.#module = module
    this.#layout = layOut(problem)
    this.#memory = newMemory(Math.ceil(this.#layout.byteLength / PAGE))
    this.#pool = canShareMemory() ? startPool(problem.threads ?? hardwareThreads()) : callingThreadPool()
    this.#writeTiles()
  }

  /** Copies the matrix to shared memory and starts the threads. */
  static async open(problem: TopProblem): Promise<TopEngine> {
    // The number of components is not a constant of the kernel: any module will do.
    return new TopEngine(problem, await compileKernel(paddedRanks[0]))
  }

  /** Finds the best rows for up to `questionsAtATime` questions; one call at a time. */
  async ask({ count, write, excluded }: TopQuestions): Promise<TopAnswers> {
    const { length, most, rows } = this.#problem
    const { buffer } = this.#memory
    const { work, questions, tiles, starts, excludedRows, best, scores } = this.#layout
    const asked = new Float32Array(buffer, questions, 4 * Math.ceil(count / 4) * length).fill(0)
    write(asked)
    const excludedStarts = new Uint32Array(buffer, starts, 4 * Math.ceil(count / 4) + 1)
    const list = new Uint32Array(buffer, excludedRows, this.#problem.excludedAtATime)
    let end = 0
    for (let question = 0; question < count; question++) {
      excludedStarts[question] = end
      const rowsOut = excluded?.(question) ?? []
      for (let i = 0; i < rowsOut.length; i++) list[end++] = rowsOut[i]
    }
    excludedStarts.fill(end, count)
    const answers = {
      best: new Uint32Array(buffer, best, count * most).fill(0),
      scores: new Float32Array(buffer, scores, 4 * Math.ceil(count / 4) * most).fill(-1),
    }
    const words = new DataView(buffer, work, at.TOP_BYTES)
    for (const [field, value] of [
      [at.TOP_LENGTH, length],
      [at.TOP_QUESTION_COUNT, count],
      [at.TOP_COUNT, rows.length / length],
      [at.TOP_MOST, most],
      [at.TOP_QUESTIONS, questions],
      [at.TOP_TILES, tiles],
      [at.TOP_EXCLUDED_START, starts],
      [at.TOP_EXCLUDED, excludedRows],
      [at.TOP_BEST, best],
      [at.TOP_SCORES, scores],
    ])
      words.setUint32(field, value, true)
    Atomics.store(new Int32Array(buffer, 0, at.CONTROL_BYTES / 4), at.CONTROL_NEXT_TASK / 4, 0)
    const members = Array.from({ length: this.#pool.threads }, (_, thread) => thread)
    await this.#pool.ask(members, () => ({
      type: 'top',
      module: this.#module,
      memory: this.#memory,
      control: 0,
      work,
    }))
    return { best: answers.best, scores: answers.scores.subarray(0, count * most) }
  }

  /** Ends the threads. */
  close(): Promise<void> {
    return this.#pool.close()
  }

  /** Writes the matrix in tiles of eight rows, each component by component (rows / 8 × length × 8). */
  #writeTiles(): void {
    const { rows, length } = this.#problem
    const count = rows.length / length
    const into = new Float32Array(this.#memory.buffer, this.#layout.tiles, 8 * Math.ceil(count / 8) * length)
    for (let row = 0; row < count; row++) {
      const tile = (row >>> 3) * 8 * length + (row & 7)
      for (let r = 0; r < length; r++) into[tile + 8 * r] = rows[row * length + r]
    }
  }
}

/** The addresses of the work's arrays after the control block, and the bytes of the memory. */
function layOut({ rows, length, most, questionsAtATime, excludedAtATime }: TopProblem) {
  let end: number = at.CONTROL_BYTES
  /** Allocates words on cache lines of their own; returns their address. */
  const take = (words: number): number => {
    const address = end
    end += aligned(4 * words)
    return address
  }
  const questions = 4 * Math.ceil(questionsAtATime / 4)
  const addresses = {
    work: take(at.TOP_BYTES / 4),
    questions: take(questions * length),
    tiles: take(8 * Math.ceil(rows.length / length / 8) * length),
    starts: take(questions + 1),
    excludedRows: take(excludedAtATime),
    best: take(questions * most),
    scores: take(questions * most),
  }
  return { ...addresses, byteLength: end }
}
