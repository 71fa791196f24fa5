/** Random cells without entries, at which it is measured how much the models of an ensemble differ. */
import { below, draw, extend, purpose, stream } from '../../base/random.ts'
import { type Observed, pickNumbers, type SparseTensor } from '../../tensor/index.ts'
import type { UnseenCells } from './intervals.ts'

/** Most random cells. */
const MOST_CELLS = 20_000
/** Fewest cells without an entry; where the tensor is so dense that fewer are drawn, cells with entries count, too. */
const FEWEST_CELLS = 200
/** Bits of a hash by which most entries are known not to be among the drawn cells. */
const FILTER_BITS = 18

/** A number of models, and the predictions of those that were fitted without a fold. */
export interface FoldPredictor {
  count: number
  predictWithout: (fold: number, indices: readonly Uint32Array[]) => Float32Array
}

/**
 * The models' mean predictions and their variances at random cells without entries. The row of each mode is drawn as
 * often as it has entries, independently of the other modes. Cells with entries are left out: all models but one were fitted
 * to them, and a correction by neighbours is learned from one residual at a time that is not known.
 */
export function predictUnseenCells(
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
  models: FoldPredictor,
  observed: Observed,
  seed: number,
): UnseenCells {
  const count = Math.min(MOST_CELLS, values.length)
  const drawn = indices.map((column, mode) => {
    const key = stream(seed, purpose.folds, mode + 1)
    return Uint32Array.from({ length: count }, (_, c) => column[below(draw(key, c), values.length)])
  })
  const unseen = withoutEntries(drawn, indices)
  const cells =
    unseen.length < Math.min(FEWEST_CELLS, count) || unseen.length === count
      ? drawn
      : drawn.map((column) => pickNumbers(column, unseen, new Uint32Array(unseen.length)))
  const all = Array.from({ length: models.count }, (_, fold) => models.predictWithout(fold, cells))
  const predictions = all[0].map((_, c) => all.reduce((sum, y) => sum + y[c], 0) / all.length)
  const variances = predictions.map(
    (mean, c) => all.reduce((sum, y) => sum + (y[c] - mean) ** 2, 0) / (all.length - 1),
  )
  return { indices: cells, predictions, variances, support: supportOfCells(observed, cells) }
}

/** The numbers of the cells that are not among the entries. */
function withoutEntries(cells: readonly Uint32Array[], entries: readonly Uint32Array[]): Uint32Array {
  const hashOf = (columns: readonly Uint32Array[], at: number): number => {
    let hash = 0
    for (const column of columns) hash = extend(hash, column[at])
    return hash
  }
  const shift = 32 - FILTER_BITS
  const filter = new Uint8Array(2 ** FILTER_BITS)
  const byHash = new Map<number, number[]>()
  const count = cells[0].length
  for (let c = 0; c < count; c++) {
    const hash = hashOf(cells, c)
    filter[hash >>> shift] = 1
    const same = byHash.get(hash)
    if (same) same.push(c)
    else byHash.set(hash, [c])
  }
  const hasEntry = new Uint8Array(count)
  for (let e = 0; e < entries[0].length; e++) {
    const hash = hashOf(entries, e)
    if (filter[hash >>> shift] === 0) continue
    for (const c of byHash.get(hash) ?? [])
      if (cells.every((column, mode) => column[c] === entries[mode][e])) hasEntry[c] = 1
  }
  return Uint32Array.from(hasEntry.keys()).filter((c) => hasEntry[c] === 0)
}

/**
 * The support of each cell: the least number of training entries among its rows.
 * @param indices the cells, as one column of indices per mode
 */
export function supportOfCells({ counts }: Observed, indices: readonly Uint32Array[]): Uint32Array {
  const support = new Uint32Array(indices[0].length).fill(2 ** 32 - 1)
  indices.forEach((column, mode) => {
    const entries = counts[mode]
    for (let c = 0; c < support.length; c++) support[c] = Math.min(support[c], entries[column[c]])
  })
  return support
}
