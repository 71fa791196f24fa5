/** Restores a picture off the page's thread; the page is sent a frame whenever there is a better one to see. */
import type { CompleteOptions, CpModel } from 'lacuna'
import { type Known, type Picture, quality, restore } from 'lacuna/image'
import { answerCalls, tell } from '../solving/remote.ts'
import { type RunSettings, Solving } from '../solving/solving.ts'
import type { Mask } from './damage.ts'
import { imageOf, knownOf, pictureOf } from './pixels.ts'

export type Method = 'patches' | 'plain'

export interface Frame {
  image: ImageData
  psnr: number
}

export interface Outcome {
  frame: Frame
}

/** The picture being restored. */
interface Job {
  picture: Picture
  known: Known
  method: Method
  /** As the user has them now; models yet to be learned take them from here. */
  settings: RunSettings
  /** The model that is being learned, or was last. */
  stage?: Stage
  /** Also between two models. */
  paused: boolean
  abort: AbortController
}

interface Stage {
  solving: Solving
  options: CompleteOptions & { rank: number }
  /** What the user wanted when it was planned. */
  user: RunSettings
  show(model: CpModel, when: 'on the way' | 'finally'): Picture
}

let job: Job | undefined

const functions = {
  /** A new picture; what was being restored is dropped. */
  load(image: ImageData, mask: Mask, method: Method): void {
    functions.drop()
    job = {
      ...{ picture: pictureOf(image), known: knownOf(mask), method },
      settings: { rank: 0, lambda: 'auto' },
      paused: false,
      abort: new AbortController(),
    }
  },

  async run(settings: RunSettings): Promise<Outcome> {
    const mine = job!
    mine.settings = settings
    if (mine.stage) {
      const { model } = await mine.stage.solving.run(changed(mine.stage, settings))
      return { frame: frameOf(mine, mine.stage.show(model, 'finally')) }
    }
    const { picture } = await restore(mine.picture, mine.known, {
      method: mine.method,
      // Read anew for each model: the user may have changed them on the way.
      get rank() {
        return mine.settings.rank
      },
      get lambda() {
        return mine.settings.lambda === 'auto' ? undefined : mine.settings.lambda
      },
      seed: settings.seed,
      signal: mine.abort.signal,
      async solve(tensor, options, show) {
        const before = mine.stage?.solving
        await before?.close()
        const solving = new Solving(
          tensor,
          {},
          {
            onEpoch: (progress) => mine === job && tell('epoch', progress),
            onModel: (model) => mine === job && tell('frame', frameOf(mine, show(model, 'on the way'))),
          },
          before?.done,
        )
        if (mine.paused) solving.pause()
        mine.stage = { solving, options, user: mine.settings, show }
        return solving.run(planned(options))
      },
    })
    return { frame: frameOf(mine, picture) }
  },

  pause(): void {
    if (job) job.paused = true
    job?.stage?.solving.pause()
  },
  resume(): void {
    if (job) job.paused = false
    job?.stage?.solving.resume()
  },
  change(settings: RunSettings): void {
    if (!job) return
    job.paused = false
    job.settings = settings
    job.stage?.solving.change(changed(job.stage, settings))
  },
  drop(): void {
    job?.abort.abort()
    void job?.stage?.solving.close()
    job = undefined
  },
}

export type RestoreFunctions = typeof functions

/** What is changed of a model's own plan when the user wants something else on the way. */
function changed({ options, user }: Stage, { rank, lambda }: RunSettings): RunSettings {
  return {
    ...planned(options),
    // A first, rough model is of a smaller rank than the user's, and stays so.
    rank: options.rank < user.rank ? Math.min(options.rank, rank) : rank,
    lambda: lambda !== 'auto' ? lambda : user.lambda === 'auto' ? (options.lambda ?? 'auto') : 'auto',
  }
}

function planned({ rank, lambda = 'auto', epochs, seed }: Stage['options']): RunSettings {
  return { rank, lambda, epochs, seed }
}

function frameOf({ picture, known }: Job, restored: Picture): Frame {
  return { image: imageOf(restored), psnr: quality(picture, restored, known).psnr }
}

answerCalls(functions)
