/** Small versions of the paper's first two experiments, off the page's thread. */
import { type Completion, synthetic } from 'lacuna'
import { type Picture, quality, restore } from 'lacuna/image'
import type { ConvergenceResult } from 'lacuna-figures/results'
import type { Mask } from '../restore/damage.ts'
import { imageOf, knownOf, pictureOf } from '../restore/pixels.ts'
import type { Frame } from '../restore/worker.ts'
import { answerCalls, tell } from '../solving/remote.ts'
import { type RunSettings, Solving } from '../solving/solving.ts'
import {
  convergenceRuns,
  type ImageCurve,
  type ImageRunName,
  imageRuns,
  newProblem,
  newSeries,
  problems,
} from './experiments.ts'

/** The page draws a figure anew at most this often. */
const NEWS_INTERVAL_MS = 600

let current: Solving | undefined
let stopped = false

const functions = {
  /** Figure 1: the same picture by both solvers, and as Restore does it. */
  async image(picture: ImageData, mask: Mask): Promise<void> {
    stopped = false
    const truth = pictureOf(picture)
    const known = knownOf(mask)
    const curves: ImageCurve[] = []
    const { now, later } = news('curves', () => curves)
    for (const { name, options } of imageRuns) {
      if (stopped) return
      const curve: ImageCurve = { name, points: [] }
      // Patches are another tensor, whose error says nothing beside that of the picture.
      if (options) curves.push(curve)
      const show = (restored: Picture): void => {
        const frame: Frame = { image: imageOf(restored), psnr: quality(truth, restored, known).psnr }
        tell('picture', { name, frame } satisfies PictureNews)
      }
      const { picture: restored } = await restore(truth, known, {
        method: options ? 'plain' : 'patches',
        solve(tensor, planned, pictureOfModel) {
          return solve(
            options ?? (planned as RunSettings),
            new Solving(
              tensor,
              {},
              {
                onEpoch({ epoch, train }) {
                  curve.points.push({ epoch, error: train.relative })
                  later()
                },
                onModel: (model) => show(pictureOfModel(model, 'on the way')),
              },
            ),
          )
        },
      })
      now()
      show(restored)
    }
  },

  /** Figure 2: each problem with each c, and by the fast solver. */
  async convergence(): Promise<void> {
    stopped = false
    const result: ConvergenceResult = { problems: [] }
    const { now, later } = news('convergence', () => result)
    for (const settings of problems) {
      const { tensor, test } = synthetic(settings)
      const problem = newProblem(settings)
      result.problems.push(problem)
      for (const run of convergenceRuns) {
        if (stopped) return
        const series = newSeries(run)
        const { curve } = series.trials[0]
        const solving = new Solving(
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
        await solve(run, solving)
      }
      now()
    }
  },

  stop(): void {
    stopped = true
    current?.stop()
  },
}

export type PaperFunctions = typeof functions

async function solve(settings: RunSettings, solving: Solving): Promise<Completion> {
  current = solving
  try {
    return await solving.run(settings)
  } finally {
    await solving.close()
  }
}

export interface PictureNews {
  name: ImageRunName
  frame: Frame
}

/** Tells the page what there is, now or when it has had time for the last. */
function news(name: string, what: () => unknown): { now(): void; later(): void } {
  let told = performance.now()
  const now = (): void => {
    told = performance.now()
    tell(name, what())
  }
  return { now, later: () => performance.now() - told > NEWS_INTERVAL_MS && now() }
}

answerCalls(functions)
