/** Dense .npy files, in chunks: a tensor with NaN at its gaps, or a model with none. */
import { InputError } from '../../base/inputError.ts'
import type { TensorModel } from '../../model/index.ts'
import { cellsOf, type SparseTensor, sortInCOrder } from '../../tensor/index.ts'
import { npyHeader } from '../npz/index.ts'

/** A dense file is refused beyond this. */
export const MAX_DENSE_BYTES = 2 ** 34
const CHUNK_CELLS = 2 ** 18

/** The bytes of a dense array of float32; throws if they are too many. */
export function denseBytes(dims: readonly number[]): number {
  const cells = cellsOf(dims)
  if (4 * cells > MAX_DENSE_BYTES)
    throw new InputError(
      'format',
      `A dense ${dims.join(' × ')} array has ${cells} elements and would take ${gibibytes(4 * cells)} GiB, more than ${gibibytes(MAX_DENSE_BYTES)}; ` +
        'write .npz (COO), .tns or a table instead.',
    )
  return 4 * cells
}

/** Bytes in GiB, for messages. */
const gibibytes = (bytes: number): string => (bytes / 2 ** 30).toFixed(bytes < 2 ** 34 ? 1 : 0)

/** Encodes a tensor as a dense array of float32, NaN where nothing was observed; without labels. */
export function* encodeDenseNpy(tensor: SparseTensor): Generator<Uint8Array> {
  const cells = denseBytes(tensor.dims) / 4
  const { dims, indices, values } = sortInCOrder(tensor)
  yield npyHeader('<f4', dims)
  const positionOf = (entry: number): number => {
    let at = 0
    for (let mode = 0; mode < dims.length; mode++) at = at * dims[mode] + indices[mode][entry]
    return at
  }
  let entry = 0
  for (let start = 0; start < cells; start += CHUNK_CELLS) {
    const end = Math.min(cells, start + CHUNK_CELLS)
    const chunk = new Float32Array(end - start).fill(NaN)
    for (; entry < values.length; entry++) {
      const at = positionOf(entry)
      if (at >= end) break
      chunk[at - start] = values[entry]
    }
    yield new Uint8Array(chunk.buffer)
  }
}

/** Encodes the model's predictions of all cells as a dense array. */
export function* encodeCompletedNpy(model: TensorModel): Generator<Uint8Array> {
  const { dims } = model
  denseBytes(dims)
  yield npyHeader('<f4', dims)
  // As many leading modes are fixed, one index after the other, as make a block small; at least one stays
  // whole.
  let fixed = 0
  while (fixed < dims.length - 1 && cellsOf(dims.slice(fixed)) > CHUNK_CELLS) fixed++
  const index: (number | null)[] = dims.map((_, mode) => (mode < fixed ? 0 : null))
  for (;;) {
    const { values } = model.slice(index)
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
