/**
 * Intervals of cells in rows that were folded in from fewer entries than any row had in training. Rows that
 * are left out as in learnEmptyRows.ts are folded in from a few of their entries, and the others are predicted.
 */
import { draw, extend } from '../../../base/random.ts'
import { type Observed, pickEntries, type SparseTensor } from '../../../tensor/index.ts'
import type { CpModel } from '../../cpModel.ts'
import type { Factored } from '../../factored.ts'
import { foldInEntries } from '../../foldIn/foldIn.ts'
import { lambdaPrior } from '../../foldIn/lambdaPrior.ts'
import { forEachPrediction } from '../../predict/products.ts'
import { blankRows } from './blankFactors.ts'
import { type GapTrial, gapTrials } from './gaps.ts'
import { type EmptyRowGroup, type EmptyRowsInput, learnGroup } from './learnEmptyRows.ts'
import type { CombinedFolds } from './predictBlank.ts'

/** Per group, the number of entries that rows are folded in from, and the least that it stands for. */
const LEVELS = [
  { entries: 1, from: 1 },
  { entries: 3, from: 2 },
  { entries: 10, from: 6 },
  { entries: 30, from: 18 },
] as const
/** Most entries that are folded in per trial: the work grows with them. */
const MOST_FOLDED = 600
/** Most residuals per trial. */
const MOST_RESIDUALS = 2000

/** Per mode, the fewest entries of a row with entries. */
export const leastEntriesOf = ({ counts }: Observed): number[] =>
  counts.map((ofMode) =>
    ofMode.reduce((least, count) => (count > 0 ? Math.min(least, count) : least), Infinity),
  )

/**
 * Learns the groups of rows of few entries, in the modes all of whose rows have more; none where modes of a
 * model are merged or split, which no row is folded into.
 * @param hasSeconds whether a number of seconds are left, asked before each trial for as long as the longest one so far
 * took; where they are not, isCut is true, and the remaining groups are left out
 */
export function learnFewEntries(
  input: EmptyRowsInput & { tensor: SparseTensor },
  combined: CombinedFolds,
  hasSeconds: (seconds: number) => boolean = () => true,
): { groups: EmptyRowGroup[]; isCut: boolean } {
  let isCut = false
  let longest = 0
  /** Runs a trial if there is time for it. */
  const runInTime = (run: () => void): boolean => {
    isCut ||= !hasSeconds(longest)
    if (isCut) return false
    const start = performance.now()
    run()
    longest = Math.max(longest, (performance.now() - start) / 1000)
    return true
  }
  if (combined.models[0].some(({ reshaping }) => reshaping)) return { groups: [], isCut }
  const groups = leastEntriesOf(input.observed).flatMap((least, mode) => {
    const groups = LEVELS.filter(({ from }) => from < least).flatMap(({ entries, from }) => {
      const found = predictFolded(input, combined, { mode, entries, runInTime })
      if (!found) return []
      const about = { modes: [mode], kinds: ['few' as const] }
      const learned = learnGroup(input, about, found.entries, Float32Array.from(found.predictions))
      return learned ? [{ ...about, from, ...learned }] : []
    })
    // A group stands for all numbers of entries up to the next one that could be learned.
    return groups.map(({ from, ...group }, at) => ({
      ...group,
      ranges: [[from, (groups[at + 1]?.from ?? least) - 1]],
    }))
  })
  return { groups, isCut }
}

/** Rows that are folded in from a number of their entries, and what runs a trial unless the time is up. */
interface FoldedRows {
  mode: number
  entries: number
  runInTime: (run: () => void) => boolean
}

/** Predicts entries of rows of a mode that are folded in from some of their entries; undefined if the time was up. */
function predictFolded(
  { tensor, observed, key: seed }: EmptyRowsInput & { tensor: SparseTensor },
  { folds, models, weights }: CombinedFolds,
  { mode, entries, runInTime }: FoldedRows,
): { entries: number[]; predictions: number[] } | undefined {
  const key = extend(extend(seed, 1000 + mode), entries)
  const found = { entries: [] as number[], predictions: [] as number[] }
  const predictTrial = (t: number, trial: GapTrial): void => {
    const fold = t % models.length
    // The model has not seen the entries that are asked for.
    const isAsked = (e: number): boolean => folds[e] === fold
    const { given, asked } = drawFolded({ tensor, observed }, trial, entries, isAsked, extend(key, t))
    const members = models[fold].map((model) => foldBlank(model, trial, pickEntries(tensor, given)))
    const columns = tensor.indices.map((column) => Uint32Array.from(asked, (e) => column[e]))
    forEachPrediction({ members, weights: weights[fold] }, columns, (n, y) => {
      found.entries.push(asked[n])
      found.predictions.push(y)
    })
  }
  for (const [t, trial] of gapTrials(mode, observed.counts[mode], 'unknown', key).entries())
    if (!runInTime(() => predictTrial(t, trial))) return undefined
  return found
}

/** Draws rows of a trial, and of each of them entries that are given, and others that are asked for. */
function drawFolded(
  { tensor: { indices, values }, observed }: Pick<EmptyRowsInput, 'tensor' | 'observed'>,
  { mode, distances }: GapTrial,
  entries: number,
  isAsked: (e: number) => boolean,
  key: number,
): { given: Uint32Array; asked: Uint32Array } {
  const rows = Array.from(distances.keys())
    .filter((row) => distances[row] > 0 && observed.counts[mode][row] > entries)
    .sort((a, b) => draw(key, a) - draw(key, b) || a - b)
    .slice(0, Math.max(1, Math.floor(MOST_FOLDED / entries)))
  const byRow = new Map(rows.map((row) => [row, [] as number[]]))
  for (let e = 0; e < values.length; e++) byRow.get(indices[mode][e])?.push(e)
  const chance = extend(key, 1)
  const given: number[] = []
  const asked: number[] = []
  for (const list of byRow.values()) {
    list.sort((a, b) => draw(chance, a) - draw(chance, b) || a - b)
    given.push(...list.slice(0, entries))
    const others = list.slice(entries).filter(isAsked)
    asked.push(...others.slice(0, Math.ceil(MOST_RESIDUALS / rows.length)))
  }
  return { given: Uint32Array.from(given).sort(), asked: Uint32Array.from(asked).sort() }
}

/** Returns the factors of a model whose blank rows are folded in from the given entries. */
function foldBlank(model: CpModel, trial: GapTrial, entries: SparseTensor): Factored {
  const blank = blankRows(model, [trial])
  const counts = model.observed?.counts.map((ofMode, mode) =>
    mode === trial.mode ? ofMode.map((count, row) => (trial.isBlank[row] ? 0 : count)) : ofMode,
  )
  const unobserved = model.unobserved.map((rows, mode) =>
    mode === trial.mode ? Uint32Array.from(trial.isBlank.keys()).filter((row) => trial.isBlank[row]) : rows,
  )
  const prior = model.prior ?? lambdaPrior(model)
  const observed = model.observed && { ...model.observed, counts: counts! }
  const { factors } = foldInEntries({
    model: { ...blank, observed, unobserved, prior },
    entries,
    update: false,
  })
  return { ...blank, factors }
}
