/** Sorts entries in C order. */
import { pickEntries } from '../pickEntries.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/**
 * Returns the tensor with its entries in C order: by the first index, then the second, and so on; the same
 * object if they already are.
 */
export function sortInCOrder(tensor: SparseTensor): SparseTensor {
  const order = cOrderOf(tensor)
  return order ? pickEntries(tensor, order) : tensor
}

/** Returns the numbers of a tensor's entries in C order; undefined if they already are in it. */
export function cOrderOf(tensor: SparseTensor): Uint32Array | undefined {
  if (isInCOrder(tensor)) return undefined
  return orderByModes(
    tensor,
    tensor.dims.map((_, mode) => mode),
  )
}

/**
 * Returns the numbers of entries, sorted by their indices of some modes, the first of which counts most; ties
 * stay in the order of their numbers.
 */
export function orderByModes(
  { dims, indices }: Pick<SparseTensor, 'dims' | 'indices'>,
  modes: readonly number[],
): Uint32Array<ArrayBuffer> {
  let order = new Uint32Array(indices[0].length)
  for (let entry = 0; entry < order.length; entry++) order[entry] = entry
  // Radix sort: sorting stably by each mode, the last one first, sorts by all of them.
  for (const mode of modes.toReversed())
    for (let shift = 0; 2 ** shift < dims[mode]; shift += DIGIT_BITS)
      order = sortByDigit(order, indices[mode], shift, Math.ceil(dims[mode] / 2 ** shift))
  return order
}

/** Bits of an index, at most, that one pass of the radix sort sorts by. */
const DIGIT_BITS = 16

/**
 * Returns entry numbers stably sorted by one digit of their indices (counting sort).
 * @param order the entry numbers
 * @param column the index of each entry
 * @param shift the lowest bit of the digit
 * @param above above the largest index, without the bits below the digit
 */
function sortByDigit(
  order: Uint32Array,
  column: Uint32Array,
  shift: number,
  above: number,
): Uint32Array<ArrayBuffer> {
  const mask = 2 ** DIGIT_BITS - 1
  const next = new Uint32Array(Math.min(mask + 1, above) + 1) // where the next entry with each digit goes
  for (let entry = 0; entry < order.length; entry++) next[((column[entry] >>> shift) & mask) + 1]++
  for (let d = 1; d < next.length; d++) next[d] += next[d - 1]
  const sorted = new Uint32Array(order.length)
  for (let at = 0; at < order.length; at++) {
    const entry = order[at]
    sorted[next[(column[entry] >>> shift) & mask]++] = entry
  }
  return sorted
}

/** Whether the entries are in C order; equal coordinates may follow each other. */
function isInCOrder({ dims, indices, values }: SparseTensor): boolean {
  for (let e = 1; e < values.length; e++) {
    let mode = 0
    while (mode < dims.length && indices[mode][e] === indices[mode][e - 1]) mode++
    if (mode < dims.length && indices[mode][e] < indices[mode][e - 1]) return false
  }
  return true
}
