/** Masks: which entries of a tensor are hidden, as blocks of cells that share some indices, as runs, or at random. */
import type { SparseTensor } from 'lacuna'
import { draw, stream, unit } from 'lacuna/internal'

/** Entries that are learned from, and hidden ones with the block that each was hidden with. */
export interface MaskedProblem {
  train: SparseTensor
  test: SparseTensor
  /** The number of the block of each test entry. */
  blocks: Uint32Array
}

/** First words of the streams, so that different masks share no random numbers. */
const GROUPS = 0x6d01
const RUNS = 0x6d02
const ENTRIES = 0x6d03

/**
 * Hides whole groups of cells at random.
 * @param modes the modes whose indices the cells of a group share, counted from 0
 * @param fraction of the groups
 */
export function hideGroups(
  tensor: SparseTensor,
  modes: readonly number[],
  fraction: number,
  seed: number,
): MaskedProblem {
  const key = stream(seed, GROUPS)
  const groups = groupNumbers(tensor, modes)
  return maskEntries(tensor, groups, (entry) => unit(draw(key, groups[entry])) < fraction)
}

/**
 * Hides runs of consecutive rows of one mode, such as days, in each row of another one, such as a station.
 * @param of the mode whose rows have runs @param along the mode that the runs lie in
 * @param fraction of the pairs of rows, nearly
 * @param lengths the shortest and the longest run
 */
export function hideRuns(
  tensor: SparseTensor,
  {
    of,
    along,
    fraction,
    lengths,
  }: { of: number; along: number; fraction: number; lengths: [number, number] },
  seed: number,
): MaskedProblem {
  const [shortest, longest] = lengths
  const { dims, indices } = tensor
  const steps = dims[along]
  const hidden = new Uint8Array(dims[of] * steps)
  const blocks = new Uint32Array(dims[of] * steps)
  let block = 0
  for (let row = 0; row < dims[of]; row++) {
    const key = stream(seed, RUNS, row)
    const wanted = Math.round(fraction * steps)
    for (let count = 0, trial = 0; count < wanted && trial < 1000; trial++) {
      const length = shortest + Math.floor(unit(draw(key, 2 * trial)) * (longest - shortest + 1))
      const start = Math.floor(unit(draw(key, 2 * trial + 1)) * (steps - length + 1))
      const cells = Array.from({ length }, (_, i) => row * steps + start + i)
      if (cells.some((cell) => hidden[cell])) continue
      for (const cell of cells) {
        hidden[cell] = 1
        blocks[cell] = block
      }
      block++
      count += length
    }
  }
  const cellOf = (entry: number): number => indices[of][entry] * steps + indices[along][entry]
  const blockOf = Uint32Array.from(tensor.values, (_, entry) => blocks[cellOf(entry)])
  return maskEntries(tensor, blockOf, (entry) => hidden[cellOf(entry)] === 1)
}

/** Hides single entries at random; each is a block. @param fraction of the entries */
export function hideEntries(tensor: SparseTensor, fraction: number, seed: number): MaskedProblem {
  const key = stream(seed, ENTRIES)
  const numbers = Uint32Array.from(tensor.values, (_, entry) => entry)
  return maskEntries(tensor, numbers, (entry) => unit(draw(key, entry)) < fraction)
}

/** Divides a tensor. @param blocks the block of each entry @param isHidden by the number of an entry */
export function maskEntries(
  tensor: SparseTensor,
  blocks: Uint32Array,
  isHidden: (entry: number) => boolean,
): MaskedProblem {
  const numbers = Uint32Array.from(tensor.values, (_, entry) => entry)
  const hidden = numbers.filter(isHidden)
  const known = numbers.filter((entry) => !isHidden(entry))
  return {
    train: pick(tensor, known),
    test: pick(tensor, hidden),
    blocks: hidden.map((entry) => blocks[entry]),
  }
}

/** Numbers the groups of entries that share the indices of some modes. */
function groupNumbers({ dims, indices, values }: SparseTensor, modes: readonly number[]): Uint32Array {
  return Uint32Array.from(values, (_, entry) =>
    modes.reduce((number, mode) => number * dims[mode] + indices[mode][entry], 0),
  )
}

/** Returns the tensor of some entries, without labels. */
function pick({ dims, indices, values }: SparseTensor, entries: Uint32Array): SparseTensor {
  return {
    dims,
    indices: indices.map((column) => entries.map((entry) => column[entry])),
    values: Float32Array.from(entries, (entry) => values[entry]),
  }
}
