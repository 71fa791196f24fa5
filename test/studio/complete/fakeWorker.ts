/** A worker of the Complete view whose answers the test gives, one by one and in any order. */
import type {
  DataSummary,
  LearnSettings,
  ModelSummary,
  ReadSettings,
} from '../../../packages/studio/src/complete/protocol.ts'
import type { SideTable } from '../../../packages/studio/src/complete/sideTables.ts'
import type { CompleteFunctions } from '../../../packages/studio/src/complete/worker/worker.ts'
import type { Connection } from '../../../packages/studio/src/run/remote.ts'

/** A call that waits for its answer. */
interface WaitingCall {
  name: string
  answer(): void
}

/** A file of this name; its content does not matter. */
export const fileOf = (name: string): File => new File(['x'], name)

/** Settings of a run. */
export const settingsOf = (rank: number): LearnSettings => ({
  ...{ rank, lambda: 'auto', heldOut: 0.1, seed: 1, seconds: 60 },
})

/** The summary of data, whose remarks name the file and the settings it was read with. */
export const summaryOf = (name: string, negative: ReadSettings['negative']): DataSummary => ({
  modes: [],
  entries: 1,
  density: 1,
  values: { min: 0, max: 1, mean: 0, bins: [] },
  remarks: [name, negative],
})

const model: ModelSummary = {
  ...{ rank: 1, models: 1, modes: [], observed: true, hasIntervals: false, stopped: 'it has converged' },
}

/** Holds the calls of a controller until the test answers them; cancelled calls reject at once. */
export class FakeWorker {
  readonly #waiting: WaitingCall[] = []
  /** The names of the calls that were cancelled. */
  readonly cancelled: string[] = []
  /** The numbers that the controller last told the worker to retain. */
  retained: number[] = []
  /** The tables beside the data that the controller last told the worker. */
  tables: readonly SideTable[] = []

  /** The connection that a controller uses. */
  readonly connection = {
    call: this.#remote(),
    callUntil: (signal: AbortSignal) => this.#remote(signal),
    onEvent: () => () => {},
  } as unknown as Connection<CompleteFunctions>

  /** The number of calls of this name that wait. */
  inFlight(name: string): number {
    return this.#waiting.filter((call) => call.name === name).length
  }

  /** Answers the n-th of the waiting calls (modulo their number), and lets the controller act on it. */
  async answer(nth: number): Promise<void> {
    if (this.#waiting.length > 0) this.#waiting.splice(nth % this.#waiting.length, 1)[0].answer()
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** Answers calls until none waits. */
  async answerAll(): Promise<void> {
    do await this.answer(0)
    while (this.#waiting.length > 0)
  }

  /** The functions of the worker: retain is answered at once, the others wait. */
  #remote(signal?: AbortSignal): object {
    const wait = <T>(name: string, answer: () => T): Promise<T> =>
      new Promise((resolve, reject) => {
        const call: WaitingCall = {
          name,
          answer() {
            try {
              resolve(answer())
            } catch (error) {
              reject(error)
            }
          },
        }
        this.#waiting.push(call)
        signal?.addEventListener('abort', () => {
          const at = this.#waiting.indexOf(call)
          if (at < 0) return
          this.#waiting.splice(at, 1)
          this.cancelled.push(name)
          reject(signal.reason)
        })
      })
    return {
      inspect: (_job: number, { name }: File) =>
        wait('inspect', () => {
          if (name === 'bad') throw new Error('bad: cannot be opened.')
          return { kind: 'tensor', name }
        }),
      read: (_job: number, { name }: File, { negative }: ReadSettings) =>
        wait('read', () => {
          if (negative === 'error' && name === 'b.csv' && this.cancelled.length % 3 === 2)
            throw new Error('b.csv: cannot be read.')
          return summaryOf(name, negative)
        }),
      start: (_job: number, _data: number, _kind: string, { lags }: LearnSettings) =>
        wait('start', () => {
          if (lags === 'bad') throw new Error('There is no mode “bad”.')
          return model
        }),
      pause: async () => {},
      resume: async () => {},
      stop: async () => {},
      setSideTables: async (tables: readonly SideTable[]) => {
        this.tables = tables
      },
      readBeside: (_data: number, { name: file }: File, kind: SideTable['kind']) =>
        wait('readBeside', (): SideTable => ({ kind: 'names', mode: kind, file, names: [] })),
      retain: async (ids: number[]) => {
        this.retained = ids
      },
    }
  }
}
