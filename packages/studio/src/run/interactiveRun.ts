/** One problem being solved in a worker: started, paused, changed on the way, stopped. */
import {
  type CompleteOptions,
  type Completion,
  type CpModel,
  type EpochReport,
  Run,
  type SparseTensor,
} from 'lacuna'
import { defaults, GpuEngine } from 'lacuna/internal'
import { openedEngine } from './engine.ts'
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
  /** The graphics card, if one does the steps. */
  card?: string
  /** Of several problems that are solved one after the other, the number of this one. */
  stage: number
}

export interface Watcher {
  onEpoch(progress: Progress): void
  /** Told at most a few times a second, with the model as it is: drawing it takes a share of the time only. */
  onModel?(model: CpModel): void
}

/** Held-out entries: those that choose the best factors, and those that are only looked at. */
export type HeldOut = Pick<CompleteOptions, 'validation' | 'watch'>

/** What earlier problems of the same task took; reports count on from there. */
export interface Before {
  stage: number
  epoch: number
  seconds: number
}

/** Drawing may take about a quarter of the time. */
const PATIENCE_PER_DRAWING = 3
const LEAST_MS_BETWEEN_DRAWINGS = 60

export class Solving {
  readonly #train: SparseTensor
  readonly #heldOut: HeldOut
  readonly #watcher: Watcher
  readonly #abort = new AbortController()
  readonly #mayDraw = drawingTimes()
  #run: Run | undefined
  #next: RunSettings | undefined
  /** While it is paused: what ends the pause. */
  #pause: { over: Promise<void>; end: () => void } | undefined
  #isRunning = false
  #before: Before

  constructor(
    train: SparseTensor,
    heldOut: HeldOut,
    watcher: Watcher,
    before: Before = { stage: 0, epoch: 0, seconds: 0 },
  ) {
    this.#train = train
    this.#heldOut = heldOut
    this.#watcher = watcher
    this.#before = { ...before, stage: before.stage + 1 }
  }

  /** What has been done so far. */
  get done(): Before {
    const { stage, epoch, seconds } = this.#before
    return { stage, epoch: epoch + (this.#run?.epoch ?? 0), seconds: seconds + (this.#run?.seconds ?? 0) }
  }

  /** Learns until it settles or is stopped. Goes on from what has been learned before, with these settings. */
  async run(settings: RunSettings): Promise<Completion> {
    this.#isRunning = true
    try {
      let run = await this.#apply(settings)
      for (;;) {
        await this.#pause?.over
        if (this.#next) {
          const next = this.#next
          this.#next = undefined
          run = await this.#apply(next)
        }
        const report = await run.advance()
        if (report) await this.#tell(run, report)
        // What was changed while the last round was done is still to be heeded.
        else if (!this.#next || this.#abort.signal.aborted) return await run.result()
      }
    } finally {
      this.#isRunning = false
    }
  }

  /** Before it runs, too: then it does not begin. */
  pause(): void {
    if (this.#pause) return
    let end = (): void => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#pause = { over, end }
  }

  resume(): void {
    this.#pause?.end()
    this.#pause = undefined
  }

  /** Goes on from the factors there are with other settings; what does not run is not changed. */
  change(settings: RunSettings): void {
    if (this.#isRunning) this.#next = settings
    this.resume()
  }

  stop(): void {
    this.#next = undefined
    this.#abort.abort()
    this.resume()
  }

  /** Gives the memory back. */
  async close(): Promise<void> {
    this.stop()
    await this.#run?.close()
  }

  /** The run there is with these settings; or a new one that begins with what was learned, where the rank is another. */
  async #apply(settings: RunSettings): Promise<Run> {
    const { rank, lambda, epochs = defaults[settings.solver ?? 'fast'].epochs } = settings
    if (this.#run?.settings.rank === rank) {
      await this.#run.change({ lambda, epochs: Math.ceil(this.#run.epoch) + epochs })
      return this.#run
    }
    const model = await this.#run?.model()
    const { stage, epoch, seconds } = this.done
    await this.#run?.close()
    this.#before = { stage, epoch, seconds }
    this.#run = undefined
    this.#run = await Run.start(this.#train, {
      ...settings,
      ...this.#heldOut,
      ...(model && { initial: withRank(model, rank) }),
      engine: await openedEngine(),
      signal: this.#abort.signal,
    })
    return this.#run
  }

  async #tell(run: Run, report: EpochReport): Promise<void> {
    const { stage, epoch, seconds } = this.#before
    const engine = await openedEngine()
    this.#watcher.onEpoch({
      ...report,
      epoch: epoch + report.epoch,
      seconds: seconds + report.seconds,
      entriesPerSecond: (report.epoch * this.#train.values.length) / report.updateSeconds,
      threads: engine.threads,
      ...(engine instanceof GpuEngine && { card: engine.name }),
      stage,
    })
    if (this.#watcher.onModel) await this.#mayDraw(async () => this.#watcher.onModel?.(await run.model()))
  }
}

/** Lets a drawing through when there is time for one. */
function drawingTimes(): (draw: () => Promise<void>) => Promise<void> {
  let from = -Infinity
  return async (draw) => {
    const began = performance.now()
    if (began < from) return
    await draw()
    const end = performance.now()
    from = end + Math.max(LEAST_MS_BETWEEN_DRAWINGS, PATIENCE_PER_DRAWING * (end - began))
  }
}
