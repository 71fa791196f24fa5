/** The cost model of operations, by which schedules compare stages, and the engine chooses numbers of threads. */
import type { Step } from '../../engine.ts'

/**
 * The approximate cost of an AO iteration on one core in nanoseconds: a rough fit to measurements of one
 * thread at R = 4 … 64 on the problems of bench/ (AMD EPYC, Node 20). Only ratios between stages matter.
 * @param stage the sample fraction c and the kind of step
 * @param rows per mode, the number of rows with entries
 * @param entries number of training entries
 * @param rank R
 */
export function costOf(
  stage: { sample: number; kind: Step['kind'] },
  rows: readonly number[],
  entries: number,
  rank: number,
): number {
  const { sample, kind } = stage
  if (kind === 'posterior') return 3 * costOf({ sample, kind: 'newton' }, rows, entries, rank)
  if (kind === 'strata') return entries * (3 + 0.5 * rank * rows.length)
  const perEntry = kind === 'gradient' ? 5 + 0.8 * rank : 5 + 0.7 * rank + 0.04 * rank ** 2
  const perRow = kind === 'gradient' ? 50 + 2 * rank : 100 + 2.5 * rank ** 2
  const allRows = rows.reduce((sum, count) => sum + count, 0)
  const sampled = rows.length * sample * entries
  return sampled * perEntry + Math.min(allRows, sampled) * perRow
}

/** The approximate nanoseconds of measuring the errors of some entries on one core. */
export const costOfErrors = (entries: number, rank: number): number => entries * (5 + 0.8 * rank)

/** The approximate nanoseconds of one of the passes that balance factors with `rows` rows, on one core. */
export const costOfBalance = (rows: number, rank: number): number => rows * rank
