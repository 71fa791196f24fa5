/** Restores a picture off the page's thread; the page is sent a frame whenever there is a better one to see. */
import { CpModel } from 'lacuna'
import { answerCalls, tell } from '../solving/remote.ts'
import { type RunSettings, Solving } from '../solving/solving.ts'
import { arrange, assemble, psnr } from './arrangement.ts'
import type { Mask } from './damage.ts'

export interface Frame {
  image: ImageData
  psnr: number
}

export interface Outcome {
  frame: Frame
  /** To go on from after a reload. */
  factors: readonly Float32Array[]
  rank: number
}

let problem: { picture: ImageData; mask: Mask } | undefined
let solving: Solving | undefined

const functions = {
  /** A new problem; what was being solved is dropped. */
  load(picture: ImageData, mask: Mask, kept?: Pick<Outcome, 'factors' | 'rank'>): void {
    solving?.stop()
    problem = { picture, mask }
    const tensor = arrange(picture, mask)
    const mine = new Solving(tensor, undefined, {
      onEpoch: (progress) => mine === solving && tell('epoch', progress),
      onFactors: (factors) => mine === solving && tell('frame', frameOf(factors)),
    })
    if (kept) mine.model = new CpModel({ dims: tensor.dims, factors: kept.factors, rank: kept.rank })
    solving = mine
  },

  async run(settings: RunSettings): Promise<Outcome> {
    const { model } = await solving!.run(settings)
    return { frame: frameOf(model.factors), factors: model.factors, rank: model.rank }
  },

  drop: () => solving?.stop(),
  pause: () => solving?.pause(),
  resume: () => solving?.resume(),
  change: (settings: RunSettings) => solving?.change(settings),
}

export type RestoreFunctions = typeof functions

function frameOf(factors: readonly Float32Array[]): Frame {
  const { picture, mask } = problem!
  const image = assemble(factors, picture, mask)
  return { image, psnr: psnr(picture, image, mask) }
}

answerCalls(functions)
