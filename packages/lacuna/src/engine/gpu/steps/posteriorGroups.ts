/**
 * Groups of rows with about as many entries, and the sampled rows of each: engine/cpu/steps/posterior/groups.ts
 * for the device. A sampled row has a slot for its V; the slots of a group follow one another.
 */
import { GROUPS } from '../../../kernels/solve/layout.ts'
import { groupOf } from '../../cpu/index.ts'
import type { ModeTable, Tables } from '../tables.ts'
import { NO_SLOT } from '../wgsl/posteriorRows.ts'

/** The groups of a mode's rows. */
export interface ModeGroups {
  /** The number of rows with entries in each group. */
  sizes: Uint32Array
  /** Per group its first slot, and the number of all slots; then per slot its row, counted over all modes. */
  slots: Uint32Array
}

/**
 * Writes the group and the slot of each row of a mode, counted over all modes.
 * @param most rows of a group whose V is computed, at most
 * @param groups receives the group of each row
 * @param slotOf receives the slot of each row; NO_SLOT if it has none
 */
export function divideIntoGroups(
  { rows: table }: Tables,
  { firstRow, rows }: ModeTable,
  most: number,
  groups: Uint32Array,
  slotOf: Uint32Array,
): ModeGroups {
  const sizes = new Uint32Array(GROUPS)
  for (let p = firstRow; p < firstRow + rows; p++) {
    groups[p] = groupOf(table[4 * p + 2])
    if (table[4 * p + 2] > 0) sizes[groups[p]]++
  }
  const sampled: number[][] = Array.from({ length: GROUPS }, () => [])
  const seen = new Uint32Array(GROUPS)
  for (let p = firstRow; p < firstRow + rows; p++) {
    slotOf[p] = NO_SLOT
    if (table[4 * p + 2] === 0) continue
    const every = Math.ceil(sizes[groups[p]] / most)
    if (seen[groups[p]]++ % every === 0) sampled[groups[p]].push(p)
  }
  const order = sampled.flat()
  order.forEach((p, slot) => {
    slotOf[p] = slot
  })
  const first = sampled.map((_, group) => sampled.slice(0, group).reduce((sum, own) => sum + own.length, 0))
  return { sizes, slots: Uint32Array.from([...first, order.length, ...order]) }
}
