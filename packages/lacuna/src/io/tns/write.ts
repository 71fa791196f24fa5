/** Tensors as .tns text. */
import type { Bytes } from '../../base/bytes.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { LF, LONGEST_FLOAT32, SPACE, writeFloat32, writeWhole } from '../text/index.ts'
import { writeHeader } from './header.ts'

/** Bytes of a chunk, unless one line takes more. */
const CHUNK_BYTES = 2 ** 18
/** The most digits of an index. */
const LONGEST_INDEX = 10

/** Options for writing a .tns text. */
export interface WriteTnsOptions {
  /**
   * Whether sizes, modes and labels are written in comments where the entries do not imply them; true by
   * default.
   */
  header?: boolean
}

/**
 * Writes a tensor as .tns text, in chunks. Reading it gives the same float32 bits, coordinates, sizes, modes
 * and labels; other tools skip the comments that hold the latter.
 */
export function* writeTns(tensor: SparseTensor, { header = true }: WriteTnsOptions = {}): Generator<Bytes> {
  if (header) yield* writeHeader(tensor)
  const { indices, values } = tensor
  const longestLine = indices.length * (LONGEST_INDEX + 1) + LONGEST_FLOAT32 + 1
  const chunkBytes = Math.max(CHUNK_BYTES, longestLine)
  let entry = 0
  while (entry < values.length) {
    // A chunk of its own each time: the consumer may still be writing the last one.
    const bytes = new Uint8Array(chunkBytes)
    let at = 0
    while (entry < values.length && at + longestLine <= chunkBytes) {
      for (let mode = 0; mode < indices.length; mode++) {
        at = writeWhole(bytes, at, indices[mode][entry] + 1)
        bytes[at++] = SPACE
      }
      at = writeFloat32(bytes, at, values[entry++])
      bytes[at++] = LF
    }
    yield bytes.subarray(0, at)
  }
}
