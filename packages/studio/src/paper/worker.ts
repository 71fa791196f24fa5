/** The worker of the Paper view: runs small versions of the paper's first two experiments. */
import { type Completion, synthetic } from 'lacuna'
import { type Picture, quality, restore } from 'lacuna/image'
import { brightness, pixelTensor } from 'lacuna/internal'
import type { ConvergenceResult } from 'lacuna-figures/results'
import type { Mask } from '../restore/damage.ts'
import { toImageData, toKnown, toPicture } from '../restore/pixels.ts'
import { InteractiveRun, type RunSettings } from '../run/interactiveRun.ts'
import { sendEvent, serveCalls } from '../run/remote.ts'
import {
  convergenceRuns,
  type ImageCurve,
  type ImageRunName,
  imageRuns,
  newProblem,
  newSeries,
  problems,
} from './experiments.ts'
import type { Frame } from './frame.ts'

/** The shortest time between two updates of a figure, in milliseconds. */
const UPDATE_INTERVAL_MS = 600

/** The run in progress, or the last one. */
let current: InteractiveRun | undefined
/** Whether the user has stopped the experiment. */
let stopped = false

/** The functions that the page calls by name (run/remote.ts). */
const functions = {
  /** Figure 1: one picture by both solvers, and by patches as in the Restore view. */
  async image(picture: ImageData, mask: Mask): Promise<void> {
    stopped = false
    const truth = toPicture(picture)
    const known = toKnown(mask)
    const isHidden = known.map((isKnown) => 1 - isKnown)
    const hidden = pixelTensor(brightness(truth), isHidden, truth)
    const curves: ImageCurve[] = []
    const { now, later } = eventSender('curves', () => curves)
    for (const { name, options } of imageRuns) {
      if (stopped) return
      const curve: ImageCurve = { name, points: [] }
      // Patches are another tensor, whose error cannot be compared with that of the plain one.
      if (options) curves.push(curve)
      /** Sends the picture of this run to the page, with its PSNR on the hidden pixels. */
      const show = (restored: Picture): void => {
        const frame: Frame = { image: toImageData(restored), psnr: quality(truth, restored, known).psnr }
        sendEvent('picture', { name, frame } satisfies PictureEvent)
      }
      const { picture: restored } = await restore(truth, known, {
        method: options ? 'plain' : 'patches',
        onDraft: (draft) => show(draft.picture()),
        solve(tensor, planned, showModel) {
          return solve(
            options ?? (planned as RunSettings),
            new InteractiveRun(tensor, options ? { watch: { hidden } } : {}, {
              onEpoch({ epoch, watch }) {
                if (!watch) return
                curve.points.push({ epoch, error: watch.hidden.relative })
                later()
              },
              onModel: showModel,
            }),
          )
        },
      })
      now()
      show(restored)
    }
  },

  /** Figure 2: each problem by the paper's solver with each c, and by the fast solver. */
  async convergence(): Promise<void> {
    stopped = false
    const result: ConvergenceResult = { problems: [] }
    const { now, later } = eventSender('convergence', () => result)
    for (const settings of problems) {
      const { tensor, test } = synthetic(settings)
      const problem = newProblem(settings)
      result.problems.push(problem)
      for (const run of convergenceRuns) {
        if (stopped) return
        const series = newSeries(run)
        const { curve } = series.trials[0]
        const live = new InteractiveRun(
          tensor,
          { watch: { hidden: test! } },
          {
            onEpoch({ epoch, updateSeconds, train, watch }) {
              // A series without a point cannot be drawn.
              if (curve.epoch.length === 0) problem.series.push(series)
              curve.epoch.push(epoch)
              curve.seconds.push(updateSeconds)
              curve.observed.push(train.relative)
              curve.hidden.push(watch!.hidden.relative)
              later()
            },
          },
        )
        await solve(run, live)
      }
      now()
    }
  },

  /** Stops the experiment. */
  stop(): void {
    stopped = true
    current?.stop()
  },
}

/** The functions that the page can call. */
export type PaperFunctions = typeof functions

/** Runs to the end and frees the memory of the run. @returns the result */
async function solve(settings: RunSettings, run: InteractiveRun): Promise<Completion> {
  current = run
  try {
    return await run.run(settings)
  } finally {
    await run.close()
  }
}

/** A restored picture of a run of figure 1. */
export interface PictureEvent {
  name: ImageRunName
  frame: Frame
}

/**
 * Returns functions that send the current value as an event: `now` at once, `later` only if the last event
 * was sent more than UPDATE_INTERVAL_MS ago.
 */
function eventSender(name: string, value: () => unknown): { now(): void; later(): void } {
  let sentAt = performance.now()
  const now = (): void => {
    sentAt = performance.now()
    sendEvent(name, value())
  }
  return { now, later: () => performance.now() - sentAt > UPDATE_INTERVAL_MS && now() }
}

serveCalls(functions)
