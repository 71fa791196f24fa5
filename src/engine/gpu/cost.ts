import { costOf } from '../cpu/cost.ts'
import type { Step } from '../engine.ts'
import type { Tables } from './tables.ts'

/**
 * What an AO iteration costs on a card, in nanoseconds. Only ratios between stages matter.
 */
export function gpuCost(
  stage: { sample: number; kind: Step['kind'] },
  { modes }: Tables,
  rank: number,
): number {
  return costOf(
    stage,
    modes.map(({ observed }) => observed),
    modes[0].entries,
    rank,
  )
}
