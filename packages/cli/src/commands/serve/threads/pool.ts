/** The threads that answer questions, and the bounded queue before them. */
import { Worker } from 'node:worker_threads'
import {
  type Answer,
  errorOf,
  type FromAnswerThread,
  type Question,
  type ToAnswerThread,
} from './protocol.ts'

/** Limits of the pool. */
export interface PoolOptions {
  threads: number
  /** Most questions that wait; further ones are refused. */
  mostWaiting: number
  /** Milliseconds after which a question is given up. */
  timeoutMs: number
  /** Most cells, entries or lines of a question. */
  mostRows: number
  /** Called with the reason when a thread has ended that should not. */
  onFault(message: string): void
}

/** A question that waits or is being answered. */
interface Job {
  question: Question
  deadline: number
  resolve(answer: Answer): void
}

/** A thread, the question that it answers, and the models that it is still to decode. */
interface Thread {
  worker: Worker
  job?: Job
  timer?: NodeJS.Timeout
  /** Called in order when a model has been decoded. */
  decoded: (() => void)[]
  /**
   * Whether the thread is still decoding its first models. Until then it gets no question, whose time would run
   * out.
   */
  isStarting: boolean
}

/** Answers questions on several threads, each one question at a time. */
export class AnswerPool {
  readonly #options: PoolOptions
  readonly #threads: Thread[] = []
  readonly #waiting: Job[] = []
  /** The current version of each model, for threads that are started again. */
  readonly #models = new Map<string, Uint8Array>()
  #isClosed = false

  /** Starts the threads. */
  constructor(options: PoolOptions) {
    this.#options = options
    for (let i = 0; i < options.threads; i++) this.#threads.push(this.#start())
  }

  /** Number of questions that wait for a thread. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Number of threads that are answering. */
  get busy(): number {
    return this.#threads.filter(({ job }) => job).length
  }

  /** Whether a question would be refused now. */
  get isFull(): boolean {
    return this.#waiting.length >= this.#options.mostWaiting
  }

  /** Sends a new version of a model to all threads; resolves when each has it. */
  async publish(name: string, bytes: Uint8Array): Promise<void> {
    this.#models.set(name, bytes)
    await Promise.all(this.#threads.map((thread) => this.#sendModel(thread, name, bytes)))
  }

  /** Removes a model from all threads. */
  forget(name: string): void {
    this.#models.delete(name)
    for (const { worker } of this.#threads) send(worker, { kind: 'forget', name })
  }

  /**
   * Answers a question: 503 if the queue is full or the question has waited for too long, 504 if the answer takes
   * too long.
   * @param isAdmitted whether it is a part of a request that has been admitted before, which is not refused
   */
  ask(question: Question, isAdmitted = false): Promise<Answer> {
    if (this.#isClosed) return Promise.resolve(errorOf(503, 'The server is stopping.'))
    if (this.isFull && !isAdmitted)
      return Promise.resolve(errorOf(503, 'The server has too many requests waiting; try again in a second.'))
    return new Promise((resolve) => {
      this.#waiting.push({ question, deadline: performance.now() + this.#options.timeoutMs, resolve })
      this.#next()
    })
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { resolve } of this.#waiting.splice(0)) resolve(errorOf(503, 'The server is stopping.'))
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  /** Gives waiting questions to idle threads. */
  #next(): void {
    for (const thread of this.#threads) {
      if (thread.job || thread.isStarting) continue
      const job = this.#take()
      if (!job) return
      thread.job = job
      const left = job.deadline - performance.now()
      thread.timer = setTimeout(() => this.#giveUp(thread), left)
      send(thread.worker, { kind: 'question', ...job.question })
    }
  }

  /** The next question that has not waited for too long. */
  #take(): Job | undefined {
    for (;;) {
      const job = this.#waiting.shift()
      if (!job || job.deadline > performance.now()) return job
      job.resolve(errorOf(503, 'The server was too busy to answer in time; try again later.'))
    }
  }

  /** Ends a thread whose answer takes too long, and starts another one. */
  #giveUp(thread: Thread): void {
    const { timeoutMs } = this.#options
    this.#replace(
      thread,
      errorOf(504, `The answer took longer than ${timeoutMs / 1000} s; ask for less at a time.`),
    )
    void thread.worker.terminate()
  }

  /** Answers the question of a thread that ends, and starts another thread in its place. */
  #replace(thread: Thread, answer: Answer): void {
    const at = this.#threads.indexOf(thread)
    if (at < 0) return
    clearTimeout(thread.timer)
    thread.job?.resolve(answer)
    for (const decoded of thread.decoded) decoded()
    if (this.#isClosed) return
    this.#threads[at] = this.#start()
    this.#next()
  }

  /** Starts a thread with the current models. */
  #start(): Thread {
    const worker = new Worker(new URL('./serveAnswers.js', import.meta.url))
    const thread: Thread = { worker, decoded: [], isStarting: this.#models.size > 0 }
    send(worker, { kind: 'limits', mostRows: this.#options.mostRows })
    for (const [name, bytes] of this.#models) void this.#sendModel(thread, name, bytes)
    worker.on('message', (message: FromAnswerThread) => {
      if (message === null) {
        thread.decoded.shift()?.()
        if (thread.isStarting && thread.decoded.length === 0) {
          thread.isStarting = false
          this.#next()
        }
        return
      }
      clearTimeout(thread.timer)
      const { job } = thread
      thread.job = undefined
      job?.resolve(message)
      this.#next()
    })
    const fail = (reason: string): void => {
      if (this.#isClosed || !this.#threads.includes(thread)) return
      this.#options.onFault(reason)
      this.#replace(thread, errorOf(500, 'The thread that was to answer has failed; ask for less at a time.'))
    }
    worker.on('error', (error) => fail(String(error.stack ?? error)))
    worker.on('exit', (code) => fail(`A thread has ended with code ${code}.`))
    return thread
  }

  /** Sends a model to a thread; resolves when it has been decoded, or the thread has ended. */
  #sendModel(thread: Thread, name: string, bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      thread.decoded.push(resolve)
      send(thread.worker, { kind: 'model', name, bytes })
    })
  }
}

/** Sends a message to a thread. */
const send = (worker: Worker, message: ToAnswerThread): void => worker.postMessage(message)
