import { below, draw, purpose, stream } from '../random.ts'
import type { SparseTensor } from './sparseTensor.ts'

/**
 * The unfolding X_(i) as an engine reads it: the entries of each row p of mode i lie together, in random order,
 * so that any run of them is a random sample of the row.
 */
export interface ModeView {
  /** Row p has the records rowStart[p] … rowStart[p + 1] − 1. (P + 1) */
  rowStart: Uint32Array
  /** One record of N words per entry: its indices in the other modes, in their order, then its value. (nnz × N) */
  records: Uint32Array
}

/** Builds the view of a mode into arrays of the right sizes. */
export function buildModeView(
  tensor: SparseTensor,
  mode: number,
  view: ModeView,
  options: { seed: number; valueScale?: number },
): void {
  countRows(tensor.indices[mode], view.rowStart)
  placeRecords(tensor, mode, view, options.valueScale ?? 1)
  shuffleRows(view, tensor.dims.length, stream(options.seed, purpose.shuffle, mode))
}

function countRows(rows: Uint32Array, rowStart: Uint32Array): void {
  rowStart.fill(0)
  for (let e = 0; e < rows.length; e++) rowStart[rows[e] + 1]++
  for (let p = 1; p < rowStart.length; p++) rowStart[p] += rowStart[p - 1]
}

function placeRecords({ indices, values }: SparseTensor, mode: number, view: ModeView, scale: number): void {
  const { rowStart, records } = view
  const order = indices.length
  const rows = indices[mode]
  const others = indices.filter((_, i) => i !== mode)
  const recordValues = new Float32Array(records.buffer, records.byteOffset, records.length)
  const next = rowStart.slice() // where the next record of each row goes
  for (let e = 0; e < values.length; e++) {
    const at = next[rows[e]]++ * order
    for (let o = 0; o < order - 1; o++) records[at + o] = others[o][e]
    recordValues[at + order - 1] = values[e] * scale
  }
}

/** Fisher and Yates, row by row: each record changes places with one of those before it, or stays. */
function shuffleRows({ rowStart, records }: ModeView, order: number, key: number): void {
  for (let p = 0; p + 1 < rowStart.length; p++) {
    const begin = rowStart[p]
    for (let e = rowStart[p + 1] - 1; e > begin; e--) {
      const other = begin + below(draw(key, e), e - begin + 1)
      if (other === e) continue
      for (let word = 0, a = e * order, b = other * order; word < order; word++, a++, b++) {
        const held = records[a]
        records[a] = records[b]
        records[b] = held
      }
    }
  }
}
