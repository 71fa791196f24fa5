import { costOf } from '../cpu/cost.ts'
import type { Step } from '../engine.ts'
import type { Tables } from './tables.ts'

/** Per mode, dispatches that wait for one another: however little there is to do, a step takes as long. */
const STEP_NS = 45_000

/**
 * What an AO iteration costs on a card, in nanoseconds: a rough fit to an H200 at R = 10, 32 and 50, c = 0.5 and 1, on the
 * problem of `lacuna bench engine --engine gpu`. Only ratios between stages matter: beside the time of a step itself,
 * entries are so cheap that large samples cost little more than small ones. Sweeps under a prior are the CPU's.
 */
export function gpuCost(
  { sample, kind }: { sample: number; kind: Step['kind'] },
  { modes }: Pick<Tables, 'modes'>,
  rank: number,
): number {
  const rows = modes.map(({ observed }) => observed)
  const { entries } = modes[0]
  if (kind !== 'gradient' && kind !== 'newton' && kind !== 'paper')
    return costOf({ sample, kind }, rows, entries, rank)
  const isBound = kind === 'gradient'
  const perEntry = isBound ? 0.02 + 0.0012 * rank : 0.02 + 0.0008 * rank + 0.00009 * rank ** 2
  const perRow = isBound ? 1 : 5 + 0.01 * rank ** 2
  const all = rows.reduce((sum, count) => sum + count, 0)
  const sampled = modes.length * sample * entries
  return modes.length * STEP_NS + sampled * perEntry + Math.min(all, sampled) * perRow
}
