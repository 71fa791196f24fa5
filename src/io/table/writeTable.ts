import type { SparseTensor } from '../../tensor/sparseTensor.ts'
import { LONGEST_FLOAT32, writeFloat32, writeWhole } from '../text/writeNumber.ts'
import { areNumbers, checkLabels, columnNames } from './columns.ts'
import { rowStyle, type TableText } from './rowStyle.ts'

const CHUNK_BYTES = 2 ** 18
const LONGEST_INDEX = 10

/**
 * The tensor as the text of a table, in chunks: a row per entry, with a column per mode (its labels, or indices from
 * 1) and one for the value. Sizes beyond the labels and indices that occur have no place in it.
 */
export function* writeTable(tensor: SparseTensor, format: TableText): Generator<Uint8Array<ArrayBuffer>> {
  checkLabels(tensor)
  const { indices, values, modes } = tensor
  const order = indices.length
  const style = rowStyle(format, columnNames(tensor))
  const encoder = new TextEncoder()
  const before = style.before.map((text) => encoder.encode(text))
  const between = encoder.encode(style.between)
  const fields = tensor.dims.map((_, mode) => {
    const labels = tensor.labels?.[mode]
    if (!labels) return undefined
    return encodeAll(areNumbers(modes?.[mode], labels) ? labels : labels.map(style.quote))
  })

  const longestRow =
    before.reduce((sum, { length }) => sum + length, between.length + LONGEST_FLOAT32) +
    fields.reduce((sum, field) => sum + (field?.longest ?? LONGEST_INDEX), 0)
  const chunkBytes = Math.max(CHUNK_BYTES, longestRow)
  yield encoder.encode(style.head)
  let entry = 0
  while (entry < values.length) {
    // A chunk of its own each time: the consumer may still be writing the last one.
    const bytes = new Uint8Array(chunkBytes)
    let at = 0
    const put = (part: Uint8Array): void => {
      bytes.set(part, at)
      at += part.length
    }
    while (entry < values.length && at + longestRow <= chunkBytes) {
      if (entry > 0) put(between)
      for (let mode = 0; mode < order; mode++) {
        put(before[mode])
        const index = indices[mode][entry]
        const field = fields[mode]
        if (field) put(field.bytes.subarray(field.starts[index], field.starts[index + 1]))
        else at = writeWhole(bytes, at, index + 1)
      }
      put(before[order])
      at = writeFloat32(bytes, at, values[entry++])
    }
    yield bytes.subarray(0, at)
  }
  yield encoder.encode(style.tail)
}

/** Texts one after the other as UTF-8, so that a row is put together without making strings. */
function encodeAll(texts: readonly string[]): { bytes: Uint8Array; starts: Float64Array; longest: number } {
  const encoder = new TextEncoder()
  const starts = new Float64Array(texts.length + 1)
  const parts = texts.map((text) => encoder.encode(text))
  let longest = 0
  parts.forEach(({ length }, index) => {
    starts[index + 1] = starts[index] + length
    longest = Math.max(longest, length)
  })
  const bytes = new Uint8Array(starts[texts.length])
  parts.forEach((part, index) => {
    bytes.set(part, starts[index])
  })
  return { bytes, starts, longest }
}
