/**
 * How the indices of an entry lie in its record: those in the other modes, in the order of the modes, several in a word where they
 * fit. Records of half the size are placed, sorted and read in less time, and where memory is taken page by page, that counts most.
 * Compared word by word they are in the order of their coordinates, packed or not.
 */
export interface Field {
  /** The word of the record, from its begin. */
  word: number
  shift: number
  mask: number
}

export interface Packing {
  /** Of each of the other modes. */
  fields: readonly Field[]
  /** Words of all indices; the value comes after them. */
  words: number
}

/**
 * The packing of the records of a view.
 * @param dims rows of each mode
 * @param mode the mode of the view, whose own index is not in the records
 * @param unpacked whether each index has a word of its own
 */
export function packingOf(dims: readonly number[], mode: number, unpacked: boolean): Packing {
  const bits = dims.filter((_, other) => other !== mode).map((dim) => (unpacked ? 32 : bitsOf(dim)))
  const wordOf: number[] = []
  let [words, used] = [0, 32]
  for (const own of bits) {
    if (used + own > 32) {
      words++
      used = 0
    }
    used += own
    wordOf.push(words - 1)
  }
  const fields = bits.map((own, o) => ({
    word: wordOf[o],
    // The first has the highest bits.
    shift: bits.reduce((sum, other, at) => (at > o && wordOf[at] === wordOf[o] ? sum + other : sum), 0),
    mask: 2 ** own - 1,
  }))
  return { fields, words }
}

const bitsOf = (dim: number): number => Math.max(1, 32 - Math.clz32(dim - 1))

/** The index in a field of the record that begins at `from`. */
export const indexIn = (words: Uint32Array, from: number, { word, shift, mask }: Field): number =>
  ((words[from + word] >>> shift) & mask) >>> 0
