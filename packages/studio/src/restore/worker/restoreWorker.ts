/**
 * The worker that restores: it sends the page a bitmap of the current region whenever there is a better one. It
 * works on one picture at a time, which is module state.
 */
import type { CompleteOptions } from 'lacuna'
import type { Known, Picture } from 'lacuna/image'
import { type Region, type RegionDraft, restoreRegions } from 'lacuna/internal'
import { InteractiveRun, type RunSettings } from '../../run/interactiveRun.ts'
import { sendEvent, serveCalls } from '../../run/remote.ts'
import type { Mask } from '../damage.ts'
import { loadPicture, pixelsOf, toPng } from '../pictureFile.ts'
import { toKnown, toPicture } from '../pixels.ts'
import { filledImage, type Part, QualityMeter } from './frames.ts'
import { RegionCache } from './regionCache.ts'

/** Reshaping of a picture as a tensor: patch × pixel × colour, or row × column × colour. */
export type Method = 'patches' | 'plain'

/** Restored pixels of a region, as an event of the worker. */
export interface Frame {
  /** The restored pixels, transparent elsewhere. */
  bitmap: ImageBitmap
  left: number
  top: number
  /** The peak signal-to-noise ratio of the lost pixels of the whole picture, in dB. */
  psnr: number
  /** The number of the region, from 1, and of all regions. */
  region: number
  regions: number
}

/** The result of a run. */
export interface Outcome {
  /** A PNG file of the restored pixels, transparent elsewhere. */
  filled: Blob
  psnr: number
  /** Regions by the factor that their resolution was reduced by. */
  regions: { factor: number; count: number }[]
  /** Whether resolution was reduced to save time: another run can be finer. */
  limited: boolean
  seconds: number
}

/** A restored region, as an event of the worker: the page stores it, so that a run can go on after a reload. */
export interface StoredRegion {
  key: string
  picture: Picture
}

/** A run of the picture. */
interface Job {
  known: Known
  /** The width of the picture. */
  width: number
  method: Method
  /** Whether every region has full resolution if its holes allow it, however long it takes. */
  finest: boolean
  /** The user's current settings, which the next model will use. */
  settings: RunSettings
  /** The current run of the solver, or the last one. */
  stage?: Stage
  /** Set while the user has paused; `over` resolves when the pause ends. */
  pause?: { over: Promise<void>; end(): void }
  abort: AbortController
}

/** A run of the solver. */
interface Stage {
  run: InteractiveRun
  /** The plan of the library. */
  options: CompleteOptions & { rank: number }
  /** The user's settings when it was planned. */
  user: RunSettings
}

/** The least pause between two frames in milliseconds, and relative to the time that a frame takes. */
const LEAST_PAUSE_MS = 50
const PAUSE_PER_FRAME = 3

/** The opened picture, its restored regions and its run; undefined before they begin. */
let picture: Promise<Picture> | undefined
let cache = new RegionCache()
let job: Job | undefined

/** The functions that the page calls by name (run/remote.ts). */
const functions = {
  /** Opens a picture. @param regions restored before a reload */
  open(file: Blob, name: string, regions: readonly StoredRegion[] = []): void {
    functions.drop()
    cache = new RegionCache()
    for (const region of regions) cache.set(region.key, region.picture)
    cache.onAdd = (key, restored) => sendEvent('region', { key, picture: restored } satisfies StoredRegion)
    picture = loadPicture(file, name).then(({ bitmap }) => toPicture(pixelsOf(bitmap)))
    picture.catch(() => {}) // the other worker reports a file that cannot be decoded
  },

  /** Prepares a run. @param mask the pixels to restore */
  load(mask: Mask, method: Method, finest: boolean): void {
    functions.drop()
    job = {
      ...{ known: toKnown(mask), method, finest, width: 0 },
      settings: { rank: 0, lambda: 'auto' },
      abort: new AbortController(),
    }
  },

  /** Restores the picture; sends `epoch`, `frame` and `region` events. */
  async run(settings: RunSettings): Promise<Outcome> {
    const current = job!
    const began = performance.now()
    const original = await picture!
    current.settings = settings
    current.width = original.width
    const meter = new QualityMeter(original, current.known)
    const frames = frameSender(current, meter)
    const {
      picture: restored,
      regions,
      limited,
      aborted,
    } = await restoreRegions(original, current.known, {
      method: current.method,
      mostWork: current.finest ? Infinity : undefined,
      cache,
      // Getters, since the user may change them between two regions.
      get rank() {
        return current.settings.rank
      },
      get lambda() {
        return current.settings.lambda === 'auto' ? undefined : current.settings.lambda
      },
      seed: settings.seed,
      signal: current.abort.signal,
      async onRegion(_, number, all) {
        await current.pause?.over
        frames.begin(number, all.length)
      },
      onDraft: frames.draft,
      onRestored: frames.send,
      async solve(tensor, options, show) {
        const before = current.stage?.run
        await before?.close()
        const run = new InteractiveRun(
          tensor,
          {},
          {
            onEpoch: (progress) => current === job && sendEvent('epoch', progress),
            onModel: (model) => (current === job ? show(model) : undefined),
          },
          before?.totals,
        )
        if (current.pause) run.pause()
        current.stage = { run, options, user: current.settings }
        return run.run(plannedSettings(options))
      },
    })
    if (aborted) throw new Error('The run was stopped.') // the page has forgotten it
    const factors = [...new Set(regions.map(({ factor }) => factor))]
    return {
      filled: await toPng(filledImage(restored, (p) => current.known[3 * p] === 0)),
      psnr: meter.exact(restored),
      regions: factors.map((factor) => ({
        factor,
        count: regions.filter((region) => region.factor === factor).length,
      })),
      limited,
      seconds: (performance.now() - began) / 1000,
    }
  },

  /** Pauses before the next frame or round. */
  pause(): void {
    if (!job || job.pause) return
    let end = (): void => {}
    const over = new Promise<void>((resolve) => {
      end = resolve
    })
    job.pause = { over, end }
    job.stage?.run.pause()
  },
  /** Ends the pause. */
  resume(): void {
    job?.pause?.end()
    if (job) job.pause = undefined
    job?.stage?.run.resume()
  },
  /** Changes the settings of the current region, and of those after it. */
  change(settings: RunSettings): void {
    if (!job) return
    functions.resume()
    job.settings = settings
    job.stage?.run.change(changeSettings(job.stage, settings))
  },
  /** Stops the run. */
  drop(): void {
    functions.resume()
    job?.abort.abort()
    void job?.stage?.run.close()
    job = undefined
  },
}

/** The functions that the page can call. */
export type RestoreFunctions = typeof functions

/**
 * Returns functions that send frames of a run to the page: drafts seldom enough that drawing takes at most about a
 * quarter of the time, and the restored picture of each region.
 */
function frameSender(current: Job, meter: QualityMeter) {
  let [number, count, next] = [0, 0, 0]
  /** Sends the filled pixels of a region, within its tile. */
  async function send(region: Region, picture: Picture): Promise<void> {
    if (current !== job) return
    const { tile, left, top, width, height } = region
    const [x, y] = [Math.max(left, tile.left), Math.max(top, tile.top)]
    const part: Part = {
      ...{ left: x, top: y },
      width: Math.min(left + width, tile.right) - x,
      height: Math.min(top + height, tile.bottom) - y,
    }
    if (part.width <= 0 || part.height <= 0) return
    const stride = current.width
    /** Whether a pixel of the region's picture is lost in the whole picture. */
    const isLost = (p: number): boolean =>
      current.known[3 * ((top + Math.floor(p / width)) * stride + left + (p % width))] === 0
    const image = filledImage(picture, isLost, { ...part, left: x - left, top: y - top })
    const psnr = meter.update(part, picture, [left, top])
    const bitmap = await createImageBitmap(image)
    sendEvent('frame', {
      ...{ bitmap, left: x, top: y, psnr },
      ...{ region: number, regions: count },
    } satisfies Frame)
  }
  return {
    send,
    /** Begins a region. */
    begin(region: number, regions: number): void {
      ;[number, count, next] = [region, regions, 0]
    },
    /** Sends a draft, unless the last one was too recent. Waits while the run is paused. */
    async draft({ region, picture }: RegionDraft): Promise<void> {
      const began = performance.now()
      if (began >= next) {
        await send(region, picture())
        const end = performance.now()
        next = end + Math.max(LEAST_PAUSE_MS, PAUSE_PER_FRAME * (end - began))
      }
      await current.pause?.over
    },
  }
}

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

serveCalls(functions)
