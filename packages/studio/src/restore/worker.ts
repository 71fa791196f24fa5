/**
 * The worker of the Restore view: restores a picture and sends a frame whenever there is a better one. It
 * works on one picture at a time, which is module state.
 */
import type { CompleteOptions, CpModel } from 'lacuna'
import { type Known, type Picture, quality, restore } from 'lacuna/image'
import { InteractiveRun, type RunSettings } from '../run/interactiveRun.ts'
import { sendEvent, serveCalls } from '../run/remote.ts'
import type { Mask } from './damage.ts'
import { toImageData, toKnown, toPicture } from './pixels.ts'

/** Reshaping of a picture as a tensor: patch × pixel × colour, or row × column × colour. */
export type Method = 'patches' | 'plain'

/** The picture at some time of the run. */
export interface Frame {
  image: ImageData
  /** The peak signal-to-noise ratio of the lost pixels, in dB. */
  psnr: number
}

/** The result of a run. */
export interface Outcome {
  frame: Frame
}

/** The picture being restored. */
interface Job {
  picture: Picture
  known: Known
  method: Method
  /** The user's current settings, which the next model will use. */
  settings: RunSettings
  /** The current run, or the last one. */
  stage?: Stage
  /** Whether the user paused, also between two runs. */
  paused: boolean
  abort: AbortController
}

/** One of the runs of a picture: a rough model may come before the final one. */
interface Stage {
  run: InteractiveRun
  /** The plan of the library. */
  options: CompleteOptions & { rank: number }
  /** The user's settings when it was planned. */
  user: RunSettings
  /** The picture of a model. */
  show(model: CpModel, when: 'on the way' | 'finally'): Picture
}

/** The picture being restored; undefined before the first and after `drop`. */
let job: Job | undefined

/** The functions that the page calls by name (run/remote.ts). */
const functions = {
  /** Starts a new picture; drops the one before. */
  load(image: ImageData, mask: Mask, method: Method): void {
    functions.drop()
    job = {
      ...{ picture: toPicture(image), known: toKnown(mask), method },
      settings: { rank: 0, lambda: 'auto' },
      paused: false,
      abort: new AbortController(),
    }
  },

  /** Restores the picture, or continues with other settings; sends `epoch` and `frame` events. */
  async run(settings: RunSettings): Promise<Outcome> {
    const current = job!
    current.settings = settings
    if (current.stage) {
      const { model } = await current.stage.run.run(changeSettings(current.stage, settings))
      return { frame: makeFrame(current, current.stage.show(model, 'finally')) }
    }
    const { picture } = await restore(current.picture, current.known, {
      method: current.method,
      // Getters, since the user may change them between two runs.
      get rank() {
        return current.settings.rank
      },
      get lambda() {
        return current.settings.lambda === 'auto' ? undefined : current.settings.lambda
      },
      seed: settings.seed,
      signal: current.abort.signal,
      async solve(tensor, options, show) {
        const before = current.stage?.run
        await before?.close()
        const run = new InteractiveRun(
          tensor,
          {},
          {
            onEpoch: (progress) => current === job && sendEvent('epoch', progress),
            onModel: (model) =>
              current === job && sendEvent('frame', makeFrame(current, show(model, 'on the way'))),
          },
          before?.totals,
        )
        if (current.paused) run.pause()
        current.stage = { run, options, user: current.settings, show }
        return run.run(plannedSettings(options))
      },
    })
    return { frame: makeFrame(current, picture) }
  },

  /** Pauses before the next round, also if the next run has not begun. */
  pause(): void {
    if (job) job.paused = true
    job?.stage?.run.pause()
  },
  /** Ends the pause. */
  resume(): void {
    if (job) job.paused = false
    job?.stage?.run.resume()
  },
  /** Changes the settings of the current run, and of the runs after it. */
  change(settings: RunSettings): void {
    if (!job) return
    job.paused = false
    job.settings = settings
    job.stage?.run.change(changeSettings(job.stage, settings))
  },
  /** Stops the run and discards the picture. */
  drop(): void {
    job?.abort.abort()
    void job?.stage?.run.close()
    job = undefined
  },
}

/** The functions that the page can call. */
export type RestoreFunctions = typeof functions

/**
 * The settings for the current run after the user has changed rank or λ: the library's plan, with these
 * changes.
 */
function changeSettings({ options, user }: Stage, { rank, lambda }: RunSettings): RunSettings {
  return {
    ...plannedSettings(options),
    // A rough model has a smaller rank than the user's, and keeps it.
    rank: options.rank < user.rank ? Math.min(options.rank, rank) : rank,
    lambda: lambda !== 'auto' ? lambda : user.lambda === 'auto' ? (options.lambda ?? 'auto') : 'auto',
  }
}

/** The settings of a run that the library has planned. */
function plannedSettings({ rank, lambda = 'auto', epochs, seed }: Stage['options']): RunSettings {
  return { rank, lambda, epochs, seed }
}

/** Converts a restored picture to a frame, with its PSNR on the lost pixels. */
function makeFrame({ picture, known }: Job, restored: Picture): Frame {
  return { image: toImageData(restored), psnr: quality(picture, restored, known).psnr }
}

serveCalls(functions)
