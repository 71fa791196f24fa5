/** Tensors, and the factors of models, as the text of tables. */

import type { Bytes } from '../../base/bytes.ts'
import { InputError } from '../../base/inputError.ts'
import { type ColumnType, isNumeric } from '../../labels/index.ts'
import { type CpModel, factorModes } from '../../model/index.ts'
import type { Mode, SparseTensor } from '../../tensor/index.ts'
import {
  doubleQuote,
  float32Text,
  LONGEST_FLOAT32,
  type TableText,
  writeFloat32,
  writeWhole,
} from '../text/index.ts'
import { uniqueNames } from './source/rows.ts'

/** The text between and around the fields of a table in a format. */
interface RowStyle {
  /** The text before the first row. */
  head: string
  /** The text before each field. */
  before: readonly string[]
  /** The text between two rows. */
  between: string
  /** The text behind the last row. */
  tail: string
  /** Writes a text as a field. */
  quote(text: string): string
}

/** The texts between and around fields in a format. @param names of the columns */
function rowStyle(format: TableText, names: readonly string[]): RowStyle {
  if (format === 'csv' || format === 'tsv') {
    const delimiter = format === 'csv' ? ',' : '\t'
    // All text is in quotes, so that an empty text differs from no text.
    const before = names.map((_, column) => (column === 0 ? '' : delimiter))
    return {
      head: `${names.map(doubleQuote).join(delimiter)}\n`,
      before,
      between: '\n',
      tail: '\n',
      quote: doubleQuote,
    }
  }
  const quote = (text: string) => JSON.stringify(text)
  const keys = names.map((name, column) => `${column === 0 ? '{' : ','}${quote(name)}:`)
  return format === 'json'
    ? { head: '[\n', before: keys, between: '},\n', tail: '}\n]\n', quote }
    : { head: '', before: keys, between: '}\n', tail: '}\n', quote }
}

/**
 * The names of a table's columns for a tensor, all distinct: one per mode, named as the mode or mode_1,
 * mode_2 …, then its value, and its weight if it has any.
 */
export function columnNames({
  dims,
  modes,
  valueName,
  weights,
}: Pick<SparseTensor, 'dims' | 'modes' | 'valueName' | 'weights'>): string[] {
  const wanted = dims.map((_, mode) => modes?.[mode].name || `mode_${mode + 1}`)
  return uniqueNames([...wanted, valueName || 'value', ...(weights ? ['weight'] : [])])
}

/** A number as JSON writes it. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

/** Whether the labels of a mode are numbers by their type, and so may stand in a file without quotes. */
function areNumbers(mode: Mode | undefined, labels: readonly string[]): boolean {
  return (
    mode?.type !== undefined &&
    isNumeric(mode.type as ColumnType) &&
    labels.every((label) => NUMBER.test(label))
  )
}

/**
 * Throws if two indices of a mode have the same label: a table could not distinguish them.
 */
export function checkLabels({ labels }: Pick<SparseTensor, 'labels'>): void {
  labels?.forEach((names, mode) => {
    if (names && new Set(names).size !== names.length)
      throw new InputError(
        'format',
        `Two indices of mode ${mode + 1} have the same label, so their rows in a table would be mixed up; write .tns or .npz.`,
      )
  })
}

/** Bytes of a chunk, unless one row takes more. */
const CHUNK_BYTES = 2 ** 18
/** The most digits of an index. */
const LONGEST_INDEX = 10

/**
 * The tensor as the text of a table, in chunks: a row per entry, with a column per mode (its labels, or
 * indices from 1), one for the value and one for the weight where there are weights. Sizes beyond the labels
 * and indices that occur have no place in it.
 */
export function* writeTable(tensor: SparseTensor, format: TableText): Generator<Bytes> {
  checkLabels(tensor)
  const { indices, values, weights, modes } = tensor
  const order = indices.length
  const style = rowStyle(format, columnNames(tensor))
  const encoder = new TextEncoder()
  const before = style.before.map((text) => encoder.encode(text))
  const between = encoder.encode(style.between)
  const fields = tensor.dims.map((_, mode) => {
    const labels = tensor.labels?.[mode]
    if (!labels) return undefined
    return encodeTexts(areNumbers(modes?.[mode], labels) ? labels : labels.map(style.quote))
  })

  const longestRow =
    before.reduce((sum, { length }) => sum + length, between.length + 2 * LONGEST_FLOAT32) +
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
      at = writeFloat32(bytes, at, values[entry])
      if (weights) {
        put(before[order + 1])
        at = writeFloat32(bytes, at, weights[entry])
      }
      entry++
    }
    yield bytes.subarray(0, at)
  }
  yield encoder.encode(style.tail)
}

/**
 * Encodes texts as UTF-8, one after the other, so that rows are assembled without making strings: text i is
 * bytes [starts[i], starts[i + 1]), at most `longest` of them.
 */
function encodeTexts(texts: readonly string[]): { bytes: Uint8Array; starts: Float64Array; longest: number } {
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

/**
 * The factors of a model as the text of a table, in chunks: a row for every row of every factor, with the
 * mode's name, the index from 1, the label (nothing where the mode has none) and component_1 … component_R.
 */
export function* writeFactors(model: CpModel, format: TableText): Generator<Uint8Array> {
  const { rank, factors } = model
  const components = Array.from({ length: rank }, (_, r) => `component_${r + 1}`)
  const style = rowStyle(format, ['mode', 'index', 'label', ...components])
  const missing = format === 'csv' || format === 'tsv' ? '' : 'null'
  const encoder = new TextEncoder()
  yield encoder.encode(style.head)
  let between = ''
  for (const [k, { name, size, labelOf }] of factorModes(model, (mode) => `mode_${mode + 1}`).entries()) {
    const quotedName = style.quote(name)
    let text = ''
    for (let row = 0; row < size; row++) {
      const label = labelOf(row)
      const fields = [quotedName, String(row + 1), label === undefined ? missing : style.quote(label)]
      for (let r = 0; r < rank; r++) fields.push(float32Text(factors[k][row * rank + r]))
      text += between + fields.map((field, column) => style.before[column] + field).join('')
      between = style.between
      if (text.length < 2 ** 16) continue
      yield encoder.encode(text)
      text = ''
    }
    yield encoder.encode(text)
  }
  yield encoder.encode(style.tail)
}
