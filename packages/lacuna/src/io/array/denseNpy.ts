/**
 * Writes dense float32 .npy files in chunks: a tensor with NaN at its gaps, or a model's predictions of all
 * cells.
 */
import { InputError } from '../../base/inputError.ts'
import type { PredictOptions, TensorModel } from '../../model/index.ts'
import { cellsOf, type SparseTensor, sortInCOrder } from '../../tensor/index.ts'
import { npyHeader } from '../npz/index.ts'

/** Larger dense files are refused: 16 GiB. */
const MAX_DENSE_BYTES = 2 ** 34
/** Most cells of a chunk of a tensor; a chunk of predictions has more where one mode alone has more. */
const CHUNK_CELLS = 2 ** 18

/**
 * The bytes of a dense float32 array, without its header; throws above MAX_DENSE_BYTES.
 * @param advice what to do instead
 */
export function denseBytes(
  dims: readonly number[],
  advice = 'write .npz (COO), .tns or a table instead',
): number {
  const cells = cellsOf(dims)
  if (4 * cells > MAX_DENSE_BYTES)
    throw new InputError(
      'format',
      `A dense ${dims.join(' × ')} array has ${cells} elements and would take ${gibibytes(4 * cells)} GiB, more than ${gibibytes(MAX_DENSE_BYTES)}; ` +
        `${advice}.`,
    )
  return 4 * cells
}

/** Advice for a model whose predictions of all cells are too many for a file. */
export const COMPLETED_ADVICE =
  'ask about the cells that you need, by a table of queries, or write a slice with lacuna fill MODEL --slice'

/** Formats bytes in GiB, with one decimal below 16 GiB and none above. */
const gibibytes = (bytes: number): string => (bytes / 2 ** 30).toFixed(bytes < 2 ** 34 ? 1 : 0)

/**
 * Encodes a tensor as a dense .npy of float32 in C order, NaN where nothing was observed, in chunks; labels
 * and weights are lost. Throws if the file would be larger than 16 GiB.
 */
export function* encodeDenseNpy(tensor: SparseTensor): Generator<Uint8Array> {
  const cells = denseBytes(tensor.dims) / 4
  const { dims, indices, values } = sortInCOrder(tensor)
  yield npyHeader('<f4', dims)
  const positionOf = (entry: number): number => {
    let position = 0
    for (let mode = 0; mode < dims.length; mode++) position = position * dims[mode] + indices[mode][entry]
    return position
  }
  let entry = 0
  for (let start = 0; start < cells; start += CHUNK_CELLS) {
    const end = Math.min(cells, start + CHUNK_CELLS)
    const chunk = new Float32Array(end - start).fill(NaN)
    for (; entry < values.length; entry++) {
      const position = positionOf(entry)
      if (position >= end) break
      chunk[position - start] = values[entry]
    }
    yield new Uint8Array(chunk.buffer)
  }
}

/**
 * Encodes a model's predictions of all cells as a dense .npy of float32 in C order, in chunks. Throws if the
 * file would be larger than 16 GiB or a prediction is too large for a float32.
 * @param options whether predictions are limited to the range of the training values; true by default
 */
export function* encodeCompletedNpy(model: TensorModel, options?: PredictOptions): Generator<Uint8Array> {
  const { dims } = model
  denseBytes(dims, COMPLETED_ADVICE)
  yield npyHeader('<f4', dims)
  // A chunk is a slice: its leading modes are fixed to one index each, as many as make it small enough; at
  // least the last mode stays whole.
  let fixed = 0
  while (fixed < dims.length - 1 && cellsOf(dims.slice(fixed)) > CHUNK_CELLS) fixed++
  const index: (number | null)[] = dims.map((_, mode) => (mode < fixed ? 0 : null))
  for (;;) {
    const { values } = model.slice(index, options)
    if (values.includes(Infinity))
      throw new InputError(
        'value',
        'The model predicts values that are too large for a float32; scale the values down and train again.',
      )
    yield new Uint8Array(values.buffer)
    let mode = fixed - 1
    while (mode >= 0 && index[mode] === dims[mode] - 1) index[mode--] = 0
    if (mode < 0) return
    index[mode] = Number(index[mode]) + 1
  }
}
