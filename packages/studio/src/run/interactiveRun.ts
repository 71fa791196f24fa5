/** A run in a worker that the user can pause, change and stop while it advances. */
import {
  type CompleteOptions,
  type Completion,
  type CpModel,
  type EpochReport,
  Run,
  type RunState,
  type SparseTensor,
} from 'lacuna'
import { defaults, GpuEngine } from 'lacuna/internal'
import { openEngine } from './engine.ts'
import { changeRank } from './warmStart.ts'

/** Settings of a run; rank and λ may change while it runs. */
export type RunSettings = Pick<
  CompleteOptions,
  | 'solver'
  | 'sample'
  | 'epochs'
  | 'tolerance'
  | 'patience'
  | 'seed'
  | 'noise'
  | 'loss'
  | 'link'
  | 'missing'
  | 'lags'
  | 'features'
> & { rank: number; lambda: number | 'auto' }

/** The state of a run after a round. */
export interface Progress extends EpochReport {
  /** Observed entries used per second of updates. */
  entriesPerSecond: number
  /** Threads of the engine. */
  threads: number
  /** The name of the GPU, if the engine is one. */
  gpu?: string
  /** The number of this run among those of one task, from 1: a rough model may come before the final one. */
  stage: number
}

/** Callbacks of a run. */
export interface RunListener {
  /** Called after each round. */
  onEpoch(progress: Progress): void
  /**
   * Called with the current model, seldom enough that drawing it takes at most about a quarter of the time.
   */
  onModel?(model: CpModel): void
  /** Called with the state of the run every CHECKPOINT_MS, and when it is paused. */
  onCheckpoint?(state: RunState): void
}

/**
 * Held-out entries: the validation set, which selects the best factors, and watch sets, which are only
 * reported.
 */
export type HeldOut = Pick<CompleteOptions, 'validation' | 'watch'>

/** Totals of the earlier runs of a task, to which the reports of the next run are added. */
export interface RunTotals {
  stage: number
  epoch: number
  seconds: number
}

/** The time between two checkpoints, in milliseconds. */
const CHECKPOINT_MS = 4000
/** The pause after a drawing, relative to its duration: drawing takes about a quarter of the time. */
const PAUSE_PER_DRAWING = 3
/** The shortest pause after a drawing, in milliseconds. */
const LEAST_MS_BETWEEN_DRAWINGS = 60

/**
 * One problem that is solved while a user watches. A change of λ continues the run; a change of rank starts
 * another one from the current factors.
 */
export class InteractiveRun {
  readonly #train: SparseTensor
  readonly #heldOut: HeldOut
  readonly #listener: RunListener
  readonly #abort = new AbortController()
  readonly #throttleDrawing = drawThrottle()
  #run: Run | undefined
  /** Settings to apply before the next round. */
  #next: RunSettings | undefined
  /** Set while the run is paused; `end` ends the pause. */
  #pause: { over: Promise<void>; end: () => void } | undefined
  #isRunning = false
  #earlier: RunTotals
  #checkpointAt = performance.now() + CHECKPOINT_MS / 4

  /**
   * Prepares a run, which starts with `run`.
   * @param heldOut the validation and watch sets
   * @param earlier the totals of earlier runs of the task
   */
  constructor(
    train: SparseTensor,
    heldOut: HeldOut,
    listener: RunListener,
    earlier: RunTotals = { stage: 0, epoch: 0, seconds: 0 },
  ) {
    this.#train = train
    this.#heldOut = heldOut
    this.#listener = listener
    this.#earlier = { ...earlier, stage: earlier.stage + 1 }
  }

  /** Totals of the task so far, this run included. */
  get totals(): RunTotals {
    const { stage, epoch, seconds } = this.#earlier
    return { stage, epoch: epoch + (this.#run?.epochs ?? 0), seconds: seconds + (this.#run?.seconds ?? 0) }
  }

  /**
   * Runs until it converges or is stopped. Called again, it continues from the current factors with these
   * settings.
   * @param saved the state of a run with these settings on the same entries, from which it continues
   */
  async run(settings: RunSettings, saved?: RunState): Promise<Completion> {
    this.#isRunning = true
    try {
      let run = saved ? await this.#resume(settings, saved) : await this.#apply(settings)
      for (;;) {
        if (this.#pause) await this.#checkpoint(run)
        await this.#pause?.over
        if (this.#next) {
          const next = this.#next
          this.#next = undefined
          run = await this.#apply(next)
        }
        const report = await run.advance()
        if (report) {
          await this.#report(run, report)
          if (performance.now() > this.#checkpointAt) await this.#checkpoint(run)
        }
        // Settings that were changed during the last round are still to be applied.
        else if (!this.#next || this.#abort.signal.aborted) return await run.result()
      }
    } finally {
      this.#isRunning = false
    }
  }

  /** Pauses before the next round. A run that is paused before it starts waits with its first round. */
  pause(): void {
    if (this.#pause) return
    let end = (): void => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#pause = { over, end }
  }

  /** Ends the pause. */
  resume(): void {
    this.#pause?.end()
    this.#pause = undefined
  }

  /**
   * Applies other settings before the next round, and ends a pause. Without effect on the settings of a run
   * that has ended.
   */
  change(settings: RunSettings): void {
    if (this.#isRunning) this.#next = settings
    this.resume()
  }

  /** Stops after the current round. */
  stop(): void {
    this.#next = undefined
    this.#abort.abort()
    this.resume()
  }

  /** Stops, and frees the memory. */
  async close(): Promise<void> {
    this.stop()
    await this.#run?.close()
  }

  /** Passes the state of the run to the listener. */
  async #checkpoint(run: Run): Promise<void> {
    this.#checkpointAt = performance.now() + CHECKPOINT_MS
    if (this.#listener.onCheckpoint) this.#listener.onCheckpoint(await run.state())
  }

  /** Continues a saved run. */
  async #resume(settings: RunSettings, saved: RunState): Promise<Run> {
    this.#run = await Run.resume(saved, this.#train, {
      ...settings,
      ...this.#heldOut,
      engine: await openEngine(),
      signal: this.#abort.signal,
    })
    return this.#run
  }

  /** Applies settings to the current run; or, if the rank differs, starts a new run from its factors. */
  async #apply(settings: RunSettings): Promise<Run> {
    const { rank, lambda, epochs = defaults[settings.solver ?? 'fast'].epochs } = settings
    if (this.#run?.settings.rank === rank) {
      await this.#run.change({ lambda, epochs: Math.ceil(this.#run.epochs) + epochs })
      return this.#run
    }
    const model = await this.#run?.model()
    const { stage, epoch, seconds } = this.totals
    await this.#run?.close()
    this.#earlier = { stage, epoch, seconds }
    this.#run = undefined
    this.#run = await Run.start(this.#train, {
      ...settings,
      ...this.#heldOut,
      initial: model && changeRank(model, rank),
      engine: await openEngine(),
      signal: this.#abort.signal,
    })
    return this.#run
  }

  /**
   * Calls the listener with the progress after a round, counted from the start of the task, and with the
   * model if it is time to draw.
   */
  async #report(run: Run, report: EpochReport): Promise<void> {
    const { stage, epoch, seconds } = this.#earlier
    const engine = await openEngine()
    this.#listener.onEpoch({
      ...report,
      epoch: epoch + report.epoch,
      seconds: seconds + report.seconds,
      entriesPerSecond: (report.epoch * this.#train.values.length) / report.updateSeconds,
      threads: engine.threads,
      gpu: engine instanceof GpuEngine ? engine.name : undefined,
      stage,
    })
    if (this.#listener.onModel)
      await this.#throttleDrawing(async () => this.#listener.onModel?.(await run.model()))
  }
}

/** Returns a function that runs a drawing, or skips it if the last one was too recent. */
function drawThrottle(): (draw: () => Promise<void>) => Promise<void> {
  let next = -Infinity
  return async (draw) => {
    const began = performance.now()
    if (began < next) return
    await draw()
    const end = performance.now()
    next = end + Math.max(LEAST_MS_BETWEEN_DRAWINGS, PAUSE_PER_DRAWING * (end - began))
  }
}
