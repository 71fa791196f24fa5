/**
 * Folds of cells where a cell without an entry is zero. All cells are known then, most of them without being
 * listed. A uniform sample of all cells is divided into folds: a model must be fitted without zeros as often as
 * without other values, or its predictions of events would be too small.
 */
import { purpose, stream } from '../../base/random.ts'
import { checkDeferred } from '../duplicates/deferredCheck.ts'
import { findDuplicates } from '../duplicates/findDuplicates.ts'
import { pickEntries } from '../pickEntries.ts'
import type { SparseTensor } from '../sparseTensor.ts'
import { entriesOfFold } from './folds.ts'
import { cellsOf, pickCells } from './pickCells.ts'

/** The most cells that are sampled. */
const MOST_SAMPLED = 5e6

/** A sample of the cells of a tensor whose unlisted cells are zeros. */
export interface SampledCells {
  /** The listed entries. */
  listed: SparseTensor
  /** The sampled cells with their values, zeros included. */
  cells: SparseTensor
  /** Per listed entry, 1 + the number of its cell in `cells`; 0 if it is not in the sample. */
  cellOf: Uint32Array
}

/**
 * The number of cells that folds are made of: each model is fitted without at most as many cells as there are
 * entries.
 */
export const sampleSize = (dims: readonly number[], entries: number, folds: number): number =>
  Math.min(cellsOf(dims), folds * entries, MOST_SAMPLED)

/**
 * Samples distinct cells uniformly at random from all cells.
 * @param listed the entries; every other cell is zero
 * @param count number of cells to draw, at most that of all cells
 * @param excluded sets whose cells are unknown, such as test cells: those that are drawn are dropped
 */
export function sampleCells(
  listed: SparseTensor,
  count: number,
  seed: number,
  excluded: readonly SparseTensor[] = [],
): SampledCells {
  const checked = checkDeferred(listed)
  const { weights: _, ...unweighted } = checked
  const { dims, values } = checked
  const [drawn] = pickCells(dims, [count], stream(seed, purpose.folds, dims.length + 2), () => {})
  const unknown = excluded.reduce((sum, set) => sum + set.values.length, 0)
  const columns = dims.map((_, mode) => {
    const column = new Uint32Array(unknown + count + values.length)
    let at = 0
    for (const part of [
      ...excluded.map(({ indices }) => indices[mode]),
      drawn[mode],
      checked.indices[mode],
    ]) {
      column.set(part, at)
      at += part.length
    }
    return column
  })
  const firstOf = findDuplicates(columns, unknown + count + values.length)
  const kept: number[] = []
  const numberOf = new Uint32Array(count) // 1 + the number in the sample; 0 for dropped cells
  for (let c = 0; c < count; c++) if (!firstOf?.[unknown + c]) numberOf[c] = kept.push(c)
  const sampled = new Float32Array(kept.length)
  const cellOf = new Uint32Array(values.length)
  for (let e = 0; e < values.length; e++) {
    const first = (firstOf?.[unknown + count + e] ?? 0) - 1 - unknown
    if (first < 0 || first >= count || numberOf[first] === 0) continue
    cellOf[e] = numberOf[first]
    sampled[cellOf[e] - 1] = values[e]
  }
  const indices = drawn.map((column) => Uint32Array.from(kept, (c) => column[c]))
  return { listed: checked, cells: { ...unweighted, indices, values: sampled }, cellOf }
}

/**
 * Separates the sampled cells of one fold from the listed entries that are not among them.
 * @param folds the fold of each sampled cell
 * @returns `out`: the cells of the fold; `train`: the other listed entries
 */
export function splitSampledFold(
  { listed, cells, cellOf }: SampledCells,
  folds: Uint8Array,
  fold: number,
): { train: SparseTensor; out: SparseTensor } {
  const train: number[] = []
  for (let e = 0; e < cellOf.length; e++) if (cellOf[e] === 0 || folds[cellOf[e] - 1] !== fold) train.push(e)
  return {
    train: pickEntries(listed, Uint32Array.from(train)),
    out: pickEntries(cells, entriesOfFold(folds, fold)),
  }
}
