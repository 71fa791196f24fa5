import type { CpModel } from '../../model/cpModel.ts'
import { LONGEST_FLOAT32, writeFloat32 } from '../text/writeNumber.ts'
import { rowStyle, type TableText } from './rowStyle.ts'

/**
 * The factors of a model as the text of a table, in chunks: a row for every row of every factor, with the mode's name,
 * the index from 1, the label (nothing where the mode has none) and component_1 … component_R.
 */
export function* writeFactors(model: CpModel, format: TableText): Generator<Uint8Array> {
  const { dims, rank, factors, labels, modes } = model
  const components = Array.from({ length: rank }, (_, r) => `component_${r + 1}`)
  const style = rowStyle(format, ['mode', 'index', 'label', ...components])
  const missing = format === 'csv' || format === 'tsv' ? '' : 'null'
  const encoder = new TextEncoder()
  yield encoder.encode(style.head)
  let between = ''
  for (let mode = 0; mode < dims.length; mode++) {
    const name = style.quote(modes?.[mode].name || `mode_${mode + 1}`)
    let text = ''
    for (let row = 0; row < dims[mode]; row++) {
      const label = labels?.[mode]?.[row]
      const fields = [name, String(row + 1), label === undefined ? missing : style.quote(label)]
      for (let r = 0; r < rank; r++) fields.push(decimal(factors[mode][row * rank + r]))
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

const scratch = new Uint8Array(LONGEST_FLOAT32)
const decimal = (x: number): string =>
  new TextDecoder().decode(scratch.subarray(0, writeFloat32(scratch, 0, x)))
