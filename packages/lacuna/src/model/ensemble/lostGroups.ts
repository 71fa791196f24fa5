/**
 * Groups of cells that were lost as a whole, such as a sensor's day, beside cells that are missing one by one
 * (tensor/split/mixedGaps.ts). Residuals in such a group are larger, as a model has none of its entries.
 * They are learned from entries whose whole group was left out of the model that predicts them.
 */
import { type FoldBy, groupNumbers, type SparseTensor, wholeModes } from '../../tensor/index.ts'

/** Groups of cells without entries. */
export interface LostCells {
  /** The modes in which the cells of a group agree, from 0. */
  modes: readonly number[]
  /** The sizes of these modes in training. */
  sizes: readonly number[]
  /** 1 for groups without entries, row-major over these modes. */
  isEmpty: Uint8Array
}

/** Groups of cells without entries, and the entries from which their residuals are learned. */
export interface LostGroups extends LostCells {
  /** The group of each entry. */
  groups: Uint32Array
  /** Per entry, 1 if its group has no entry in any other fold; the model without its fold has none of them. */
  ofEntries: Uint8Array
  /** Per group, 1 if it has entries of several folds: every model was fitted to some of them. */
  isDivided: Uint8Array
}

/** Finds the groups without entries; undefined where folds are of one kind. @param folds the fold of each entry */
export function findLostGroups(
  tensor: Pick<SparseTensor, 'dims' | 'indices'>,
  by: FoldBy,
  folds: Uint8Array,
): LostGroups | undefined {
  const modes = wholeModes(by)
  if (!modes) return undefined
  const sizes = modes.map((mode) => tensor.dims[mode])
  const groups = groupNumbers(tensor, modes)
  const count = sizes.reduce((product, size) => product * size, 1)
  const isEmpty = new Uint8Array(count).fill(1)
  const foldOf = new Uint8Array(count)
  const isDivided = new Uint8Array(count)
  groups.forEach((group, e) => {
    if (isEmpty[group]) foldOf[group] = folds[e]
    else if (foldOf[group] !== folds[e]) isDivided[group] = 1
    isEmpty[group] = 0
  })
  const ofEntries = Uint8Array.from(groups, (group) => 1 - isDivided[group])
  return { modes, sizes, isEmpty, groups, ofEntries, isDivided }
}

/** Whether a cell lies in a group without entries; false in rows that came after training. */
export const isLostCell = (lost: LostCells, cell: ArrayLike<number>): boolean =>
  lost.isEmpty[groupOfCell(lost, cell)] === 1

/** The group of a cell; -1 in rows that came after training. */
export function groupOfCell({ modes, sizes }: LostCells, cell: ArrayLike<number>): number {
  let group = 0
  for (let m = 0; m < modes.length; m++) {
    const row = cell[modes[m]]
    if (!(row >= 0 && row < sizes[m])) return -1
    group = group * sizes[m] + row
  }
  return group
}
