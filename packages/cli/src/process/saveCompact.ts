/** Writes compact model files, and measures what their predictions lose. */
import type { CpModel } from 'lacuna'
import { type CpEnsemble, decodeAnyModel } from 'lacuna/folds'
import { encodeCompactModel } from 'lacuna/formats'
import { draw, formatBytes, type TensorModel, unit, writeFileWhole } from 'lacuna/internal'
import { formatCount, formatNumber } from '../print/format.ts'

/** How the factors of a compact model are stored. */
export type CompactKind = Parameters<typeof encodeCompactModel>[1]

/** Kinds of compact models, the most exact first. */
export const compactKinds: readonly CompactKind[] = ['float16', 'int8']

/** Cells at which predictions are compared, if the model has more. */
const CELLS = 100_000

/**
 * Writes a model as a compact file.
 * @returns a sentence about its size and the error of its predictions
 */
export async function saveCompact(
  path: string,
  model: CpModel | CpEnsemble,
  kind: CompactKind,
): Promise<string> {
  const bytes = encodeCompactModel(model, kind)
  const { rms, difference, largest, cells } = comparePredictions(model, decodeAnyModel(bytes, path))
  await writeFileWhole(path, [bytes])
  const percent = rms > 0 ? ((100 * difference) / rms).toPrecision(2) : '0'
  return `${formatBytes(bytes.length)}; at ${formatCount(cells)} random cells, predictions differ by ${formatNumber(difference)} (RMS), ${percent}% of their own RMS, and by at most ${formatNumber(largest)}`
}

/** Compares the predictions of two models at the same random cells: the RMS of the first's, and of the differences. */
function comparePredictions(
  model: TensorModel,
  compact: TensorModel,
): { rms: number; difference: number; largest: number; cells: number } {
  const size = model.dims.reduce((product, dim) => product * dim, 1)
  const cells = Math.min(size, CELLS)
  const columns = model.dims.map((dim, mode) =>
    Uint32Array.from({ length: cells }, (_, at) => Math.floor(unit(draw(23 + mode, at)) * dim)),
  )
  const [before, after] = [model, compact].map((each) => each.predictMany(columns, { clip: false }))
  let [squares, differences, largest] = [0, 0, 0]
  before.forEach((y, at) => {
    squares += y * y
    differences += (y - after[at]) ** 2
    largest = Math.max(largest, Math.abs(y - after[at]))
  })
  return { rms: Math.sqrt(squares / cells), difference: Math.sqrt(differences / cells), largest, cells }
}
