/** Small versions of the paper's first two experiments, off the page's thread. */
import { type CompleteOptions, type EpochReport, type Picture, quality, restore, synthetic } from 'lacuna'
import type { Mask } from '../restore/damage.ts'
import { imageOf, knownOf, pictureOf } from '../restore/pixels.ts'
import type { Frame } from '../restore/worker.ts'
import { answerCalls, tell } from '../solving/remote.ts'
import { type RunSettings, Solving } from '../solving/solving.ts'
import { type Curve, type CurvePoint, imageRuns, problems, runs } from './experiments.ts'

let current: Solving | undefined
let stopped = false

const functions = {
  /** Figure 1: the same picture by both solvers, one after the other. */
  async image(picture: ImageData, mask: Mask): Promise<void> {
    stopped = false
    const truth = pictureOf(picture)
    const known = knownOf(mask)
    for (const run of imageRuns) {
      if (stopped) return
      const curve = newCurve('image', run.name)
      const show = (restored: Picture): void => {
        const frame: Frame = { image: imageOf(restored), psnr: quality(truth, restored, known).psnr }
        tell('picture', { name: run.name, frame })
      }
      const { picture: restored } = await restore(truth, known, {
        method: run.method,
        solve(tensor, planned, pictureOfModel) {
          current = new Solving(tensor, undefined, {
            // Patches are another tensor, whose error says nothing beside that of the picture.
            onEpoch: (progress) => run.method === 'plain' && curve.add(progress, progress.train.relative),
            onModel: (model) => show(pictureOfModel(model)),
          })
          return current.run(run.options ?? (planned as RunSettings))
        },
      })
      curve.end()
      show(restored)
    }
  },

  /** Figure 2: each problem with each c, and by the fast solver. */
  async convergence(): Promise<void> {
    stopped = false
    for (const { name, ...problem } of problems) {
      const { tensor, test } = synthetic(problem)
      for (const run of runs) {
        if (stopped) return
        const curve = newCurve(name, run.name)
        current = new Solving(tensor, test, {
          onEpoch: (progress) => curve.add(progress, progress.validation!.relative),
        })
        await current.run({ rank: problem.rank, lambda: lambdaOf(run.options), ...run.options })
        curve.end()
      }
    }
  },

  stop(): void {
    stopped = true
    current?.stop()
  },
}

export type PaperFunctions = typeof functions

const lambdaOf = ({ lambda = 0.01 }: CompleteOptions): number | 'auto' => lambda

/** Points go to the page in bunches. */
function newCurve(problem: string, name: string) {
  const points: CurvePoint[] = []
  let told = performance.now()
  const send = (): void => tell('curve', { problem, name, points } satisfies Curve)
  return {
    add({ epoch, seconds }: EpochReport, error: number): void {
      points.push({ epoch, seconds, error })
      if (performance.now() - told < 300) return
      told = performance.now()
      send()
    },
    end: send,
  }
}

answerCalls(functions)
