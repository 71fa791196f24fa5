/** The engine that runs use unless another is given, and how several models share its threads. */
import { cpuEngine, hardwareThreads, threadsForWork } from './cpu/index.ts'
import type { Engine } from './engine.ts'

/**
 * The work of a model, entries × R², from which on models are fitted one after another on all threads. Below
 * it, threads of one model would wait for each other longer than they work.
 */
const MOST_WORK = 2e9
/** The most entries of models that are fitted side by side: each has its own copy of the entries. */
const MOST_ENTRIES = 3e6

/**
 * Opens the default engine, the CPU's threads; the caller closes it.
 * @param threads worker threads; all cores by default
 */
export const defaultEngine = (threads?: number): Engine => cpuEngine({ threads })

/** Models that can be fitted independently: how many, and the entries, modes and rank R of each. */
export interface ModelSizes {
  models: number
  entries: number
  order: number
  rank: number
}

/** Models that are fitted before those of the next group. */
export interface ModelGroup {
  /** Number of models. */
  models: number
  /** How many of them run side by side. */
  sideBySide: number
  /** Threads of each. */
  threads: number
}

/** A model on n threads is faster than on one by n to this power, about. */
const SPEEDUP = 0.85

/**
 * Divides threads among models that can be fitted independently. Small ones run side by side, and those of an
 * incomplete last round are a group with more threads each: of five models on two threads four have one
 * thread, and the last one has both.
 * @param threads threads for all of them together; all cores by default
 */
export function divideThreads(
  { models, entries, order, rank }: ModelSizes,
  threads = hardwareThreads(),
): ModelGroup[] {
  const isSmall = entries * rank ** 2 < MOST_WORK && entries <= MOST_ENTRIES
  if (!isSmall) return [{ models, sideBySide: 1, threads }]
  const useful = threadsForWork(entries, order, rank, threads)
  const groupOf = (models: number, sideBySide: number): ModelGroup => ({
    ...{ models, sideBySide },
    threads: Math.max(1, Math.min(useful, Math.floor(threads / sideBySide))),
  })
  let best: ModelGroup[] = []
  for (let sideBySide = 1; sideBySide <= Math.min(threads, models); sideBySide++) {
    const rest = models % sideBySide
    const groups = [groupOf(models - rest, sideBySide), ...(rest > 0 ? [groupOf(rest, rest)] : [])]
    if (best.length === 0 || timeOf(groups) < timeOf(best)) best = groups
  }
  return best
}

/** The time of groups, about, in units of that of a model on one thread. */
export const timeOf = (groups: readonly ModelGroup[]): number =>
  groups.reduce((sum, { models, sideBySide, threads }) => sum + models / sideBySide / threads ** SPEEDUP, 0)

/**
 * The groups of the first models alone: the rounds of models side by side after which they have been fitted, each of which
 * takes as long as if it were complete.
 * @param count number of models
 */
export function groupsOfFirst(groups: readonly ModelGroup[], count: number): ModelGroup[] {
  let before = 0
  return groups.flatMap((group) => {
    const models = Math.max(0, Math.min(group.models, count - before))
    before += group.models
    const rounds = Math.ceil(models / group.sideBySide)
    return rounds > 0 ? [{ ...group, models: rounds * group.sideBySide }] : []
  })
}
