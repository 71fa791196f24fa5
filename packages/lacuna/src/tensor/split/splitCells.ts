/**
 * Splits of tensors whose unlisted cells are zeros: held-out cells are drawn from all cells, so that their
 * error is that of any cell.
 */
import { InputError } from '../../base/inputError.ts'
import { checkSeed, purpose, stream } from '../../base/random.ts'
import { float32Array, uint32Array } from '../../base/sharedArrays.ts'
import type { Communicator } from '../../comm/index.ts'
import { checkDeferred } from '../duplicates/deferredCheck.ts'
import { findDuplicates } from '../duplicates/findDuplicates.ts'
import { pickEntries } from '../pickEntries.ts'
import { countEntries, scatterByHash } from '../scatter.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import { cellsOf, pickCells } from './pickCells.ts'
import { pickShardCells } from './pickShardCells.ts'
import { heldOutFractions, type Split, type SplitFractions } from './split.ts'

/**
 * Splits the cells of a tensor whose unlisted cells are zeros. A held-out set has its fraction of the cells,
 * but no more than there are entries: a million zeros would measure the error no better than the first hundred thousand.
 * Train has the remaining entries.
 */
export function splitCells(tensor: SparseTensor, fractions: SplitFractions, seed: number): Split {
  const { dims, values } = tensor
  const sizes = heldOutSizes(dims, values.length, fractions, seed)
  const split = holdOutCells(
    tensor,
    pickCells(dims, sizes, cellStream(seed), () => {}),
  )
  checkTrainNotEmpty(split.train.values.length, sizes, dims)
  return split
}

/**
 * Splits the cells of the tensor that all processes have together into the sets that `splitCells` gives in
 * one process. Every process draws all cells and holds out those whose hash names it; entries are scattered
 * by the same hash, so that a cell and its value meet.
 * @param shard the entries of this process
 * @returns the cells that this process owns in each set
 */
export async function splitShardCells(
  communicator: Communicator,
  shard: SparseTensor,
  fractions: SplitFractions,
  seed: number,
): Promise<Split> {
  if (communicator.size === 1) return splitCells(shard, fractions, seed)
  const { dims } = shard
  const sizes = heldOutSizes(dims, await countEntries(communicator, shard), fractions, seed)
  const groups = await pickShardCells(communicator, dims, sizes, cellStream(seed))
  const { indices, values, weights } = await scatterByHash(communicator, shard)
  const split = holdOutCells({ ...shard, indices, values, weights }, groups)
  checkTrainNotEmpty(await countEntries(communicator, split.train), sizes, dims)
  return split
}

/**
 * Returns the numbers of cells of validation and test: their fractions of all cells, rounded, but at least 1
 * and at most the number of entries; 0 where the fraction is 0.
 * @param entries the number of listed cells
 */
function heldOutSizes(
  dims: readonly number[],
  entries: number,
  fractions: SplitFractions,
  seed: number,
): [validation: number, test: number] {
  checkSeed(seed)
  const [validation, test] = heldOutFractions(fractions).map((fraction) =>
    fraction > 0 ? Math.max(1, Math.min(entries, Math.round(fraction * cellsOf(dims)))) : 0,
  )
  return [validation, test]
}

/**
 * Returns the seed by which held-out cells are drawn. It is not the seed itself: in a synthetic tensor of
 * that seed its own entries would be drawn again.
 */
const cellStream = (seed: number): number => stream(seed, purpose.split)

/**
 * Moves cells from the entries to validation and test. A held-out cell has the value of its entry, or zero if
 * it is unlisted; held-out sets have no weights.
 * @param groups index columns of the cells of validation and of test
 */
function holdOutCells(tensor: SparseTensor, groups: readonly (readonly Uint32Array[])[]): Split {
  const checked = checkDeferred(tensor)
  const { dims, indices, values } = checked
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
  const { weights: _, ...unweighted } = checked
  const setOf = (indices: readonly Uint32Array[], from: number, to: number): SparseTensor => ({
    ...unweighted,
    indices,
    values: heldValues.subarray(from, to),
  })
  return {
    train: pickEntries(checked, Uint32Array.from(learned)),
    validation: setOf(groups[0], 0, sizes[0]),
    test: setOf(groups[1], sizes[0], held),
  }
}

/** Throws if a split has no training entries. @param learned their number */
function checkTrainNotEmpty(
  learned: number,
  sizes: readonly [number, number],
  dims: readonly number[],
): void {
  if (learned === 0)
    throw new InputError(
      'empty',
      `Holding out ${sizes[0] + sizes[1]} of ${cellsOf(dims)} cells leaves no entry to learn from.`,
    )
}
