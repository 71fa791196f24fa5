/**
 * Gaps of two kinds at once: cells that are missing one by one, and whole groups of cells beside them, as where the
 * series of some sensors are lost and those of all others are thinned out. The number of entries of a group is then
 * that of random cells, except for more groups without any than there would be by chance: a zero-inflated binomial
 * distribution (Lambert 1992). Folds are of both kinds as well, so that there are residuals for both.
 */
import { gapsOf, groupNumbers } from '../gaps.ts'
import { observe } from '../observed.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import { type FoldBy, isByEntry } from './folds.ts'
import { gapLengths } from './gapBlocks.ts'
import { cellsOf } from './pickCells.ts'

/** The smallest fraction of the missing cells that must lie in groups which are empty, but not by chance. */
const LEAST_IN_GROUPS = 0.1
/** The least number of groups that are empty, but not by chance. */
const LEAST_GROUPS = 20
/** Standard deviations by which empty groups must be more than by chance. */
const LEAST_DEVIATIONS = 6
/**
 * The largest ratio of pairs of entries in one group to that of the distribution. Where entries come in bursts, as a
 * user's ratings of one week, groups are empty without anything being lost.
 */
const MOST_PAIRS = 1.15
/** The least mean number of entries per group: with fewer, an empty one means nothing. */
const LEAST_PER_GROUP = 1
/** The least number of entries: a tenth of them gives residuals of groups that stay together. */
const LEAST_ENTRIES = 2500
/** The most groups whose entries are counted. */
const MOST_GROUPS = 2 ** 24
/** The most modes of a tensor whose subsets of modes are tried. */
const MOST_ORDER = 6
/** The least and the largest fraction of the groups that stay together in a fold. */
const TOGETHER = [0.1, 0.5] as const

/**
 * Returns the groups that folds are made of by default: as cells are missing, one by one, in whole groups, or in
 * both ways.
 */
export function foldGroupsOf(tensor: SparseTensor): FoldBy {
  const by = gapsOf(tensor)
  return isByEntry(by, tensor) ? (mixedGapsOf(tensor) ?? by) : by
}

/** Finds whole groups of missing cells beside cells that are missing one by one; undefined if there are none. */
function mixedGapsOf(tensor: SparseTensor): FoldBy | undefined {
  const { dims, values } = tensor
  const order = dims.length
  const cells = cellsOf(dims)
  if (order < 3 || order > MOST_ORDER || values.length < LEAST_ENTRIES || values.length >= cells)
    return undefined
  // Rows without entries are gaps of another kind, and are not counted here.
  const { counts } = observe(tensor)
  const rows = counts.map((ofMode) => ofMode.reduce((sum, count) => sum + Number(count > 0), 0))
  const missing = cellsOf(rows) - values.length
  let best: { modes: number[]; inGroups: number; hasEntry: Uint8Array } | undefined
  for (let size = 2; size < order && !best; size++)
    for (const modes of subsetsOf(order, size)) {
      const groups = modes.reduce((product, mode) => product * dims[mode], 1)
      if (groups > MOST_GROUPS || values.length < LEAST_PER_GROUP * cellsOf(modes.map((mode) => rows[mode])))
        continue
      const entries = new Uint32Array(groups)
      const numbers = groupNumbers(tensor, modes)
      for (let e = 0; e < numbers.length; e++) entries[numbers[e]]++
      const perGroup = cellsOf(rows) / cellsOf(modes.map((mode) => rows[mode]))
      const expected = expectedEntries(
        modes.map((mode) => counts[mode]),
        values.length,
      )
      const lost = lostGroups(entries, expected, perGroup)
      const inGroups = (lost * perGroup) / missing
      if (lost < LEAST_GROUPS || inGroups < Math.max(LEAST_IN_GROUPS, best?.inGroups ?? 0)) continue
      best = { modes, inGroups, hasEntry: Uint8Array.from(entries, (count) => Number(count > 0)) }
    }
  if (!best) return undefined
  const { modes, inGroups, hasEntry } = best
  const lengths = gapLengths({ sizes: modes.map((mode) => dims[mode]), hasEntry })
  const together = Math.min(TOGETHER[1], Math.max(TOGETHER[0], inGroups))
  const divided = Number((1 - together).toFixed(2))
  return dims.map((_, mode) =>
    modes.includes(mode) ? { mode, length: lengths[modes.indexOf(mode)] } : { mode, length: 1, divided },
  )
}

/** All sets of `size` modes. */
function subsetsOf(order: number, size: number): number[][] {
  const subsets: number[][] = []
  for (let bits = 0; bits < 2 ** order; bits++) {
    const modes = Array.from({ length: order }, (_, mode) => mode).filter((mode) => bits & (1 << mode))
    if (modes.length === size) subsets.push(modes)
  }
  return subsets
}

/**
 * The number of entries to expect in each group if they fell into the rows of the modes independently, as often as
 * these have entries. @param counts per mode of the groups, the entries of each row
 */
function expectedEntries(counts: readonly Uint32Array[], entries: number): Float64Array {
  let expected = Float64Array.of(entries)
  for (const ofMode of counts) {
    const next = new Float64Array(expected.length * ofMode.length)
    for (let g = 0; g < expected.length; g++)
      for (let row = 0; row < ofMode.length; row++)
        next[g * ofMode.length + row] = (expected[g] * ofMode[row]) / entries
    expected = next
  }
  return expected
}

/**
 * The number of groups that are empty, but not by chance; 0 where that is not significant, or the entries of the
 * other groups are not distributed as by chance.
 * @param perGroup cells of a group
 */
function lostGroups(entries: Uint32Array, expected: Float64Array, perGroup: number): number {
  let [groups, filled, pairs] = [0, 0, 0]
  for (let g = 0; g < entries.length; g++) {
    if (expected[g] === 0) continue
    groups++
    filled += Number(entries[g] > 0)
    pairs += entries[g] * (entries[g] - 1)
  }
  /**
   * Expected numbers if a fraction of the groups is lost: of groups with entries, of pairs of entries in one group, and
   * the variance of the former.
   */
  const byChance = (lost: number): { filled: number; variance: number; pairs: number } => {
    const sum = { filled: 0, variance: 0, pairs: 0 }
    for (let g = 0; g < expected.length; g++) {
      if (expected[g] === 0) continue
      const chance = Math.min(1, expected[g] / (1 - lost) / perGroup)
      const empty = (1 - chance) ** perGroup
      sum.filled += (1 - lost) * (1 - empty)
      sum.variance += empty * (1 - empty)
      sum.pairs += (1 - lost) * perGroup * (perGroup - 1) * chance * chance
    }
    return sum
  }
  const none = byChance(0)
  if (none.filled - filled < LEAST_DEVIATIONS * Math.sqrt(none.variance) + 1) return 0
  // The more groups are lost, the fewer have entries: bisection.
  let [low, high] = [0, 1 - filled / groups]
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2
    if (byChance(middle).filled > filled) low = middle
    else high = middle
  }
  if (pairs > MOST_PAIRS * byChance(low).pairs) return 0
  return low * groups
}
