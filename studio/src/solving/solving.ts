/** One problem being solved in a worker: started, paused, changed on the way, stopped. */
import {
  type CompleteOptions,
  type Completion,
  CpModel,
  complete,
  cpuEngine,
  type EpochReport,
  type SparseTensor,
} from 'lacuna'
import { PausableEngine } from './pausableEngine.ts'
import { withRank } from './warmStart.ts'

/** What the user may set, and change on the way. */
export type RunSettings = Pick<
  CompleteOptions,
  'solver' | 'sample' | 'epochs' | 'tolerance' | 'patience' | 'seed'
> & { rank: number; lambda: number | 'auto' }

export interface Progress extends EpochReport {
  /** Observed entries used per second of updates. */
  entriesPerSecond: number
  threads: number
  /** Of several problems that are solved one after the other, the number of this one. */
  stage: number
}

export interface Watcher {
  onEpoch(progress: Progress): void
  /** Told at most a few times a second, with the model as it is: drawing it takes a share of the time only. */
  onModel?(model: CpModel): void
}

/** Drawing may take about a quarter of the time. */
const PATIENCE_PER_DRAWING = 3
const LEAST_MS_BETWEEN_DRAWINGS = 60

export class Solving {
  model: CpModel | undefined
  readonly #train: SparseTensor
  readonly #validation: SparseTensor | undefined
  readonly #watcher: Watcher
  #engine: PausableEngine | undefined
  #abort: AbortController | undefined
  #next: RunSettings | undefined
  #paused = false
  /** λ of the last run. */
  #lambda: number | 'auto' | undefined
  #before: { stage: number; epoch: number; seconds: number }

  /** `before`: what earlier problems of the same task took; reports count on from there. */
  constructor(
    train: SparseTensor,
    validation: SparseTensor | undefined,
    watcher: Watcher,
    before = { stage: 0, epoch: 0, seconds: 0 },
  ) {
    this.#train = train
    this.#validation = validation
    this.#watcher = watcher
    this.#before = { ...before, stage: before.stage + 1 }
  }

  /** What has been done so far. */
  get done(): { stage: number; epoch: number; seconds: number } {
    return { ...this.#before }
  }

  /** Learns until it settles, is changed (then it goes on from there) or is stopped. Goes on from the model if there is one. */
  async run(settings: RunSettings): Promise<Completion> {
    for (;;) {
      const completion = await this.#runOnce(settings)
      this.model = completion.model
      this.#before.epoch += completion.epochs.at(-1)?.epoch ?? 0
      if (!this.#next) return completion
      settings = this.#next
      this.#next = undefined
    }
  }

  /** Before it runs, too: then it does not begin. */
  pause(): void {
    this.#paused = true
    this.#engine?.pause()
  }

  resume(): void {
    this.#paused = false
    this.#engine?.resume()
  }

  /** Goes on from the factors there are with other settings; what does not run is not changed. */
  change(settings: RunSettings): void {
    this.#paused = false
    if (!this.#engine) return
    this.#next = settings
    this.#abort?.abort()
  }

  stop(): void {
    this.#next = undefined
    this.#abort?.abort()
  }

  async #runOnce(settings: RunSettings): Promise<Completion> {
    const cpu = cpuEngine()
    const leaveStart = settings.lambda !== 'auto' && settings.lambda !== this.#lambda
    const engine = new PausableEngine(cpu, { leaveStart: this.model !== undefined && leaveStart })
    this.#lambda = settings.lambda
    if (this.#paused) engine.pause()
    const abort = new AbortController()
    const before = { ...this.#before }
    const drawing = drawingTimes()
    this.#engine = engine
    this.#abort = abort
    try {
      return await complete(this.#train, {
        ...settings,
        validation: this.#validation,
        engine,
        signal: abort.signal,
        initial: this.model && withRank(this.model, settings.rank),
        onEpoch: (report) => {
          const paused = engine.pausedMs / 1000
          const seconds = report.seconds - paused
          const updateSeconds = report.updateSeconds - paused
          this.#before.seconds = before.seconds + seconds
          this.#watcher.onEpoch({
            ...report,
            epoch: before.epoch + report.epoch,
            seconds: before.seconds + seconds,
            updateSeconds,
            entriesPerSecond: (report.epoch * this.#train.values.length) / updateSeconds,
            threads: cpu.threads,
            stage: before.stage,
          })
          if (this.#watcher.onModel) drawing(() => this.#draw(engine))
        },
      })
    } finally {
      this.#engine = undefined
    }
  }

  async #draw(engine: PausableEngine): Promise<void> {
    this.#watcher.onModel?.(this.#modelOf(await engine.currentFactors()))
  }

  #modelOf(factors: Float32Array[]): CpModel {
    const { dims, labels, modes } = this.#train
    return new CpModel({ dims, rank: factors[0].length / dims[0], factors, labels, modes })
  }
}

/** Lets a drawing through when there is time for one. */
function drawingTimes(): (draw: () => Promise<void>) => void {
  let from = -Infinity
  return (draw) => {
    const began = performance.now()
    if (began < from) return
    from = Infinity
    void draw().finally(() => {
      const end = performance.now()
      from = end + Math.max(LEAST_MS_BETWEEN_DRAWINGS, PATIENCE_PER_DRAWING * (end - began))
    })
  }
}
