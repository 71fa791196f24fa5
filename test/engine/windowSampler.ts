/** The engine's sampling for the reference: a window of the row's entries in the order of the mode view. */
import { below, draw, purpose, stream } from '#dist/random.js'
import type { NtcSettings } from '#dist/reference/ntc.js'
import type { SparseTensor } from '#dist/tensor/index.js'
import { buildModeView } from '#dist/tensor/modeView.js'

export function windowSampler(tensor: SparseTensor, seed: number): NonNullable<NtcSettings['sample']> {
  const orders = tensor.dims.map((_, mode) => rowOrders(tensor, mode, seed))
  return (nnz, B, { k, i, p, l }) => {
    const start = B < nnz ? below(draw(stream(seed, purpose.sample, k, i, l), p), nnz) : 0
    return Array.from({ length: B }, (_, j) => orders[i][p][(start + j) % nnz])
  }
}

/** For each row of a mode, its entries in view order, each as its position among the row's entries in the tensor. */
function rowOrders(tensor: SparseTensor, mode: number, seed: number): number[][] {
  // A tensor whose values are the entries' positions within their rows: the view carries them along.
  const count = new Uint32Array(tensor.dims[mode])
  const positions = Float32Array.from(tensor.indices[mode], (p) => count[p]++)
  const order = tensor.dims.length
  const view = {
    rowStart: new Uint32Array(tensor.dims[mode] + 1),
    records: new Uint32Array(positions.length * order),
  }
  buildModeView({ ...tensor, values: positions }, mode, view, { seed })
  const values = new Float32Array(view.records.buffer)
  return Array.from(count, (n, p) =>
    Array.from({ length: n }, (_, j) => values[(view.rowStart[p] + j + 1) * order - 1]),
  )
}
