/**
 * The packing of indices in records: those of the other modes, in the order of the modes, several in a word
 * where they fit. Smaller records are placed, sorted and read in less time. Compared word by word, packed
 * records have the order of their coordinates.
 */
/** The bits of an index in a record. */
export interface Field {
  /** The word of the record, from its begin. */
  word: number
  /** Bits below the field in its word. */
  shift: number
  /** The largest index that the field holds. */
  mask: number
}

/** The fields of all indices in a record. */
export interface Packing {
  /** One per mode except the view's own, in the order of the modes. */
  fields: readonly Field[]
  /** Words of all indices; the value follows. */
  words: number
}

/**
 * The packing of the records of a view: indices in the order of the modes, each in the word of the one before
 * it if it fits there.
 * @param dims rows of each mode
 * @param mode the mode of the view, whose own index is not in the records
 */
export function packingOf(dims: readonly number[], mode: number): Packing {
  const bits = dims.filter((_, other) => other !== mode).map(bitsOf)
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
  // The last field of a word has its lowest bits.
  const fields: Field[] = new Array(bits.length)
  for (let o = bits.length - 1, shift = 0; o >= 0; o--) {
    if (wordOf[o] !== wordOf[o + 1]) shift = 0
    fields[o] = { word: wordOf[o], shift, mask: 2 ** bits[o] - 1 }
    shift += bits[o]
  }
  return { fields, words }
}

/** The bits of an index below `dim`; at least 1. */
const bitsOf = (dim: number): number => Math.max(1, 32 - Math.clz32(dim - 1))

/** Reads an index: the field of the record that begins at word `from`. */
export const indexIn = (words: Uint32Array, from: number, { word, shift, mask }: Field): number =>
  ((words[from + word] >>> shift) & mask) >>> 0
