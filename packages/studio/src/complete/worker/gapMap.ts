/** How the cells of a tensor are missing: the fraction that is observed, binned over two modes. */
import type { SparseTensor } from 'lacuna'
import type { GapMap } from '../protocol.ts'

/** The most bins along each mode. */
const MOST_BINS = 120

/**
 * The fraction of observed cells for two modes, over all rows of the others. Rows without an order (text) are
 * sorted by their entries, fullest first, so that what is missing together lies together.
 * @param rows the mode along the vertical axis
 * @param columns the mode along the horizontal axis
 */
export function mapGaps(tensor: SparseTensor, rows: number, columns: number): GapMap {
  const [down, across] = [axisOf(tensor, rows), axisOf(tensor, columns)]
  const counts = new Float64Array(down.bins.length * across.bins.length)
  const [rowIndices, columnIndices] = [tensor.indices[rows], tensor.indices[columns]]
  for (let e = 0; e < rowIndices.length; e++)
    counts[down.binOf[rowIndices[e]] * across.bins.length + across.binOf[columnIndices[e]]]++
  const others = tensor.dims.reduce(
    (product, size, m) => (m === rows || m === columns ? product : product * size),
    1,
  )
  const fractions = Float32Array.from(counts, (count, at) => {
    const { size: height } = down.bins[Math.floor(at / across.bins.length)]
    const { size: width } = across.bins[at % across.bins.length]
    return count / (height * width * others)
  })
  return {
    rows: { mode: rows, isSorted: down.isSorted, bins: down.bins },
    columns: { mode: columns, isSorted: across.isSorted, bins: across.bins },
    fractions,
    total: rowIndices.length / (tensor.dims[rows] * tensor.dims[columns] * others),
  }
}

/** The bins of a mode: which row is in which bin, and what each bin is called. */
interface Axis {
  binOf: Uint32Array
  bins: GapMap['rows']['bins']
  isSorted: boolean
}

/** Divides the rows of a mode into bins of nearly equal size, by their order or by their entries. */
function axisOf(tensor: SparseTensor, mode: number): Axis {
  const size = tensor.dims[mode]
  const isSorted = tensor.modes?.[mode]?.type === 'VARCHAR'
  const order = isSorted ? rowsByEntries(tensor.indices[mode], size) : undefined
  const count = Math.min(size, MOST_BINS)
  const label = (row: number): string => tensor.labels?.[mode]?.[row] ?? String(row + 1)
  const binOf = new Uint32Array(size)
  const bins = Array.from({ length: count }, (_, b) => {
    const [from, to] = [Math.floor((b * size) / count), Math.floor(((b + 1) * size) / count)]
    for (let at = from; at < to; at++) binOf[order ? order[at] : at] = b
    const [first, last] = [label(order ? order[from] : from), label(order ? order[to - 1] : to - 1)]
    return { size: to - from, first, last }
  })
  return { binOf, bins, isSorted }
}

/** The rows of a mode, fullest first. */
function rowsByEntries(indices: Uint32Array, size: number): Uint32Array {
  const entries = new Uint32Array(size)
  for (const row of indices) entries[row]++
  return Uint32Array.from({ length: size }, (_, row) => row).sort((a, b) => entries[b] - entries[a] || a - b)
}
