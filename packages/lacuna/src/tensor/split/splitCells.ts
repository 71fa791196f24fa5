import { InputError } from '../../base/inputError.ts'
import { checkSeed, purpose, stream } from '../../base/random.ts'
import { float32Array, uint32Array } from '../../base/sharedArrays.ts'
import { findDuplicates } from '../order/findDuplicates.ts'
import { pickEntries, type SparseTensor } from '../sparseTensor.ts'
import { cellsOf, pickCells } from './pickCells.ts'
import type { Split, SplitFractions } from './split.ts'

/**
 * Divides the cells of a tensor whose cells are zero where they are not listed: held-out ones are drawn from all cells,
 * zeros included, so that their error is that of any cell. A part has its share of the cells, but no more than there are
 * entries: a million zeros would say no more than the first hundred thousand. Train has the entries that are left.
 */
export function splitCells(tensor: SparseTensor, shares: SplitFractions, seed: number): Split {
  const { dims, values } = tensor
  const sizes = heldOutSizes(dims, values.length, shares, seed)
  const split = holdOut(
    tensor,
    pickCells(dims, sizes, cellStream(seed), () => {}),
  )
  checkLeft(split.train.values.length, sizes, dims)
  return split
}

/** How many cells validation and test get, where there are so many entries. */
export function heldOutSizes(
  dims: readonly number[],
  entries: number,
  shares: SplitFractions,
  seed: number,
): [validation: number, test: number] {
  checkSeed(seed)
  const [validation, test] = [shares.validation ?? 0, shares.test ?? 0].map((share) => {
    if (!(share >= 0 && share < 1))
      throw new InputError('option', `A held-out share is ${share}; it must lie in [0, 1).`)
    return share > 0 ? Math.max(1, Math.min(entries, Math.round(share * cellsOf(dims)))) : 0
  })
  return [validation, test]
}

/** Another stream than that of synthetic tensors, or their own cells would be drawn again. */
export const cellStream = (seed: number): number => stream(seed, purpose.split)

/** Takes the cells of two groups, validation and test, out of the entries: zeros, where they are not listed. */
export function holdOut(tensor: SparseTensor, groups: readonly (readonly Uint32Array[])[]): Split {
  const { dims, indices, values } = tensor
  const sizes = groups.map(([column]) => column.length)
  const held = sizes[0] + sizes[1]
  const columns = dims.map((_, mode) => {
    const column = uint32Array(held + values.length)
    column.set(groups[0][mode])
    column.set(groups[1][mode], sizes[0])
    column.set(indices[mode], held)
    return column
  })
  const firstOf = findDuplicates(columns, held + values.length)
  const heldValues = float32Array(held)
  const learned: number[] = []
  for (let e = 0; e < values.length; e++) {
    const cell = firstOf ? firstOf[held + e] : 0
    if (cell > 0 && cell <= held) heldValues[cell - 1] = values[e]
    else learned.push(e)
  }
  const { weights: _, ...unweighted } = tensor
  const part = (indices: readonly Uint32Array[], from: number, to: number): SparseTensor => ({
    ...unweighted,
    indices,
    values: heldValues.subarray(from, to),
  })
  return {
    train: pickEntries(tensor, Uint32Array.from(learned)),
    validation: part(groups[0], 0, sizes[0]),
    test: part(groups[1], sizes[0], held),
  }
}

export function checkLeft(learned: number, sizes: readonly [number, number], dims: readonly number[]): void {
  if (learned === 0)
    throw new InputError(
      'empty',
      `Holding out ${sizes[0] + sizes[1]} of ${cellsOf(dims)} cells leaves no entry to learn from.`,
    )
}
