/**
 * The pattern in which cells are missing: one by one, or in whole groups, such as all hours of a station's
 * day. Entries that are held out for evaluation should be missing in the same pattern: a single missing cell
 * has known neighbours, a gap has none.
 */

import type { SparseTensor } from './sparseTensor.ts'
import { byEntry, type FoldBy } from './split/folds.ts'
import { cellRunLengths, gapLengths } from './split/gapBlocks.ts'
import { cellsOf } from './split/pickCells.ts'

/** The smallest fraction of known cells: with fewer, the pattern of missing cells means nothing. */
const LEAST_KNOWN = 0.05
/**
 * The smallest fraction of the missing cells that must lie in empty groups, beyond groups that are empty by
 * chance.
 */
const LEAST_IN_GROUPS = 0.3
/** The most modes of a tensor whose subsets of modes are tried. */
const MOST_ORDER = 6
/** The most cells in which runs of missing ones are looked for: each takes a byte. */
const MOST_CELLS = 2 ** 26

/**
 * Returns the smallest set of modes such that cells are missing in whole groups of cells that agree in these
 * modes, with the number of consecutive rows that are missing together; all modes if cells are missing one by
 * one or in runs along a mode (a sensor that is silent for hours), or if the pattern is unclear (too few known cells, or
 * too many modes).
 */
export function gapsOf(tensor: SparseTensor): FoldBy {
  const { dims, values } = tensor
  const cells = cellsOf(dims)
  const known = values.length / cells
  if (known < LEAST_KNOWN || known >= 1 || dims.length > MOST_ORDER) return byEntry(tensor)
  const subsets: number[][] = []
  for (let bits = 1; bits < 2 ** dims.length - 1; bits++)
    subsets.push(dims.map((_, mode) => mode).filter((mode) => bits & (1 << mode)))
  subsets.sort((a, b) => a.length - b.length)
  for (const modes of subsets) {
    const groups = modes.reduce((product, mode) => product * dims[mode], 1)
    const perGroup = cells / groups
    const { hasEntry, count } = findGroups(tensor, modes, groups)
    const byChance = groups * (1 - known) ** perGroup
    if (((groups - count - byChance) * perGroup) / (cells - values.length) < LEAST_IN_GROUPS) continue
    const lengths = gapLengths({ sizes: modes.map((mode) => dims[mode]), hasEntry })
    return modes.map((mode, axis) => ({ mode, length: lengths[axis] }))
  }
  if (cells > MOST_CELLS) return byEntry(tensor)
  const modes = [...dims.keys()]
  const runs = cellRunLengths({ sizes: dims, hasEntry: findGroups(tensor, modes, cells).hasEntry })
  return modes.map((mode) => ({ mode, length: runs[mode] }))
}

/**
 * Finds the groups of cells that agree in the given modes and have an entry.
 * @param groups the number of all groups, the product of these modes' sizes
 * @returns per group, row-major, 1 if it has an entry; and the number of those
 */
function findGroups(
  tensor: SparseTensor,
  modes: readonly number[],
  groups: number,
): { hasEntry: Uint8Array; count: number } {
  const hasEntry = new Uint8Array(groups)
  let count = 0
  for (const at of groupNumbers(tensor, modes)) {
    count += 1 - hasEntry[at]
    hasEntry[at] = 1
  }
  return { hasEntry, count }
}

/**
 * The number of the group of each entry, row-major over the given modes.
 * @param modes those in which the cells of a group agree; the product of their sizes is below 2³²
 */
export function groupNumbers(
  { dims, indices }: Pick<SparseTensor, 'dims' | 'indices'>,
  modes: readonly number[],
): Uint32Array {
  const numbers = new Uint32Array(indices[0].length)
  for (const mode of modes) {
    const column = indices[mode]
    for (let e = 0; e < numbers.length; e++) numbers[e] = numbers[e] * dims[mode] + column[e]
  }
  return numbers
}
