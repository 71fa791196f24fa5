/**
 * How cells are missing: one by one, or together, such as whole days of a station. What is held out to judge a model should be
 * missing in the same way: from neighbours in the gap's own row much is known that is not known in a gap.
 */

import type { SparseTensor } from './sparseTensor.ts'
import { byEntry, type FoldBy } from './split/folds.ts'
import { cellsOf } from './split/pickCells.ts'

/** Where fewer of the cells are known, what is missing says nothing. */
const LEAST_KNOWN = 0.05
/** Whole groups must make up this share of what is missing, beyond those that chance would empty. */
const LEAST_SHARE = 0.3
const MOST_ORDER = 6

/** The modes whose cells are missing as a whole, the fewest such modes; all modes if cells are missing one by one. */
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
    const empty = groups - countGroups(tensor, modes, groups)
    const byChance = groups * (1 - known) ** perGroup
    if (((empty - byChance) * perGroup) / (cells - values.length) >= LEAST_SHARE)
      return modes.map((mode) => ({ mode, length: 1 }))
  }
  return byEntry(tensor)
}

function countGroups(
  { dims, indices, values }: SparseTensor,
  modes: readonly number[],
  groups: number,
): number {
  const seen = new Uint8Array(groups)
  let count = 0
  for (let e = 0; e < values.length; e++) {
    let at = 0
    for (const mode of modes) at = at * dims[mode] + indices[mode][e]
    count += 1 - seen[at]
    seen[at] = 1
  }
  return count
}
