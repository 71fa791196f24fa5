/** Figure 1: a picture of which nine values in ten are hidden, and its restorations. */
import { join } from 'node:path'
import { type CompleteOptions, complete } from 'lacuna'
import { hideAtRandom, type Known, type Picture, quality, restore, writePng } from 'lacuna/image'
import {
  blacken,
  brightness,
  draw,
  fillHoles,
  pixelTensor,
  pixelValues,
  purpose,
  stream,
} from 'lacuna/internal'
import type {
  ExperimentSettings,
  ImageMethod,
  ImageResult,
  ImageRun,
  PictureQuality,
} from 'lacuna-figures/results'
import type { Progress } from '../progress.ts'
import { curveOf } from './curve.ts'
import { type Group, Stopped } from './group.ts'

/** Sizes and solver settings of figure 1. */
type Settings = ExperimentSettings['image']

/** Stored record of a trial: the damaged picture, and one restoration of it. */
export interface ImageRecord extends Omit<ImageResult, 'runs'> {
  run: ImageRun
}

/** Settings of the experiment of figure 1. */
export interface ImageContext {
  settings: Settings
  seed: number
  threads: number
  /** Folder of the pictures. */
  folder: string
  /** 'drawn', or the name of the file. */
  source: string
  /** Draws or reads the picture. */
  make(progress: Progress): Promise<Picture>
}

/** Methods of restoration, in the order of the figure. */
const METHODS: readonly ImageMethod[] = ['paper', 'fast', 'patches']
/** Names of the methods in progress lines. */
const LABELS: { [method in ImageMethod]: string } = {
  paper: "the paper's solver",
  fast: 'the fast solver',
  patches: 'patches',
}
/**
 * Number of hidden values, about, on which the error is measured after each epoch. The final quality is
 * measured on all of them.
 */
const WATCHED_VALUES = 100_000
/** Names of the files of the original and the damaged picture. */
const PICTURES = { original: 'image-original.png', damaged: 'image-damaged.png' }

/** Id of a trial in the store. */
const trialId = (method: ImageMethod): string => `image-${method}`

/** Returns the trials of figure 1 as one group: one trial for each method. */
export function imageGroups(context: ImageContext): Group[] {
  const trials = METHODS.map((method) => ({
    id: trialId(method),
    label: `${context.source === 'drawn' ? 'picture' : context.source}, ${LABELS[method]}`,
  }))
  return [
    {
      figure: 'Figure 1',
      trials,
      open: async (progress) => {
        const { settings, seed, source, folder } = context
        const picture = await context.make(progress)
        const known = hideAtRandom(picture, { share: settings.missing, perChannel: true, seed })
        await writePng(join(folder, PICTURES.original), picture)
        await writePng(join(folder, PICTURES.damaged), blacken(picture, known))
        const { width, height, channels } = picture
        const entries = known.reduce((sum, is) => sum + is, 0)
        const rest: Omit<ImageRecord, 'run'> = {
          data: { source, dims: [height, width, channels], entries },
          mean: measureQuality(picture, fillByMean(picture, known), known),
          pictures: PICTURES,
        }
        return {
          run: async (index, progress, signal) => {
            const run = await restoreBy(METHODS[index], picture, known, context, progress, signal)
            return { ...rest, run } satisfies ImageRecord
          },
          close: async () => {},
        }
      },
    },
  ]
}

/** Restores the picture by one method, writes it into the folder, and measures time and quality. */
async function restoreBy(
  method: ImageMethod,
  picture: Picture,
  known: Known,
  context: ImageContext,
  progress: Progress,
  signal: AbortSignal,
): Promise<ImageRun> {
  const { folder } = context
  const start = performance.now()
  const result =
    method === 'patches'
      ? await restoreByPatches(picture, known, context, progress, signal)
      : await restoreByTensor(method, picture, known, context, progress, signal)
  const seconds = (performance.now() - start) / 1000
  const file = `image-${method}.png`
  await writePng(join(folder, file), result.restored)
  const { restored, ...settings } = result
  return { method, ...settings, seconds, quality: measureQuality(picture, restored, known), picture: file }
}

/** A restored picture and the settings of its model. */
type RestoredPicture = Pick<ImageRun, 'rank' | 'sample' | 'lambda' | 'curve'> & { restored: Picture }

/** Restores by one model of the tensor row × column × channel, as in the paper. Throws Stopped if aborted. */
async function restoreByTensor(
  solver: 'paper' | 'fast',
  picture: Picture,
  known: Known,
  { settings, seed, threads }: ImageContext,
  progress: Progress,
  signal: AbortSignal,
): Promise<RestoredPicture> {
  const { rank, epochs } = settings
  const values = brightness(picture)
  const solverSettings: Pick<CompleteOptions, 'sample' | 'lambda'> =
    solver === 'paper'
      ? { sample: settings.sample, lambda: settings.lambda }
      : { sample: 'auto', lambda: 'auto' }
  const completion = await complete(pixelTensor(values, known, picture), {
    solver,
    rank,
    epochs,
    ...solverSettings,
    seed,
    threads,
    signal,
    watch: { hidden: pixelTensor(values, watchedMask(known, seed), picture) },
    onEpoch: ({ epoch, train }) =>
      progress(`epoch ${Number(epoch.toFixed(1))} of ${epochs}, error ${train.relative.toPrecision(3)}`),
  })
  if (completion.stopped === 'aborted') throw new Stopped()
  const restored = fillHoles(picture, known, pixelValues(completion.model))
  const { sample, lambda } = solverSettings
  return { rank, sample: sample!, lambda: lambda!, curve: curveOf(completion.epochs), restored }
}

/** Restores by overlapping patches, the default of `lacuna image`. Throws Stopped if aborted. */
async function restoreByPatches(
  picture: Picture,
  known: Known,
  { seed, threads }: ImageContext,
  progress: Progress,
  signal: AbortSignal,
): Promise<RestoredPicture> {
  const restoration = await restore(picture, known, {
    ...{ seed, threads, signal },
    onEpoch: ({ stage, stages, epochs }, { epoch }) =>
      progress(`model ${stage} of ${stages}, epoch ${Number(epoch.toFixed(1))} of ${epochs}`),
  })
  if (restoration.aborted) throw new Stopped()
  const { rank } = restoration.stages.at(-1)!
  return { rank, sample: 'auto', lambda: 'auto', restored: restoration.picture }
}

/** Draws about WATCHED_VALUES of the hidden values; 1 in the mask where one is drawn. */
function watchedMask(known: Known, seed: number): Known {
  const hidden = known.length - known.reduce((sum, is) => sum + is, 0)
  const key = stream(seed, purpose.probe)
  return known.map((is, at) => (is === 0 && (draw(key, at) / 2 ** 32) * hidden < WATCHED_VALUES ? 1 : 0))
}

/** Returns the picture with the mean of each channel's known values in place of its hidden values. */
function fillByMean(picture: Picture, known: Known): Picture {
  const { channels } = picture
  const values = brightness(picture)
  const [sums, counts] = [new Float64Array(channels), new Float64Array(channels)]
  for (let at = 0; at < values.length; at++) {
    sums[at % channels] += known[at] * values[at]
    counts[at % channels] += known[at]
  }
  const means = sums.map((sum, k) => sum / Math.max(1, counts[k]))
  return fillHoles(
    picture,
    known,
    values.map((_, at) => means[at % channels]),
  )
}

/** Measures relative error and PSNR (at most 999 dB) on the hidden values. */
function measureQuality(truth: Picture, restored: Picture, known: Known): PictureQuality {
  const { relative, psnr } = quality(truth, restored, known)
  return { relative, psnr: Math.min(psnr, 999) } // JSON has no Infinity
}

/**
 * Collects the finished trials of figure 1; undefined if there are none.
 * @param read returns the record of a trial, undefined if it is not finished
 */
export async function collectImage(
  read: (id: string) => Promise<object | undefined>,
): Promise<ImageResult | undefined> {
  let result: ImageResult | undefined
  for (const method of METHODS) {
    const record = (await read(trialId(method))) as ImageRecord | undefined
    if (!record) continue
    const { run, ...rest } = record
    result ??= { ...rest, runs: [] }
    result.runs.push(run)
  }
  return result
}
