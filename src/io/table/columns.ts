import { InputError } from '../../inputError.ts'
import type { Mode, SparseTensor } from '../../tensor/sparseTensor.ts'

/** A table's columns for a tensor: one per mode, named as the mode or mode_1, mode_2 …, then its value. */
export function columnNames({
  dims,
  modes,
  valueName,
}: Pick<SparseTensor, 'dims' | 'modes' | 'valueName'>): string[] {
  const wanted = dims.map((_, mode) => modes?.[mode].name || `mode_${mode + 1}`)
  return unique([...wanted, valueName || 'value'])
}

/** Names that differ, whatever their case, as SQL wants them: a repeated one gets _1, _2 … */
export function unique(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const free = freeName(name, taken)
    taken.add(free.toLowerCase())
    return free
  })
}

/** The name, or name_1, name_2 …: the first that is not taken. The taken ones are in lower case. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let n = 1; taken.has(free.toLowerCase()); n++) free = `${name}_${n}`
  return free
}

const NUMBER_TYPE = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|DECIMAL\(.*\))$/
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i

/** Whether the labels of a mode are numbers by their type, and so may stand in a file without quotes. */
export function areNumbers(mode: Mode | undefined, labels: readonly string[]): boolean {
  return NUMBER_TYPE.test(mode?.type ?? '') && labels.every((label) => NUMBER.test(label))
}

/** Labels that cannot be told apart cannot be told apart in a table either. */
export function checkLabels({ labels }: Pick<SparseTensor, 'labels'>): void {
  labels?.forEach((names, mode) => {
    if (names && new Set(names).size !== names.length)
      throw new InputError(
        'format',
        `Two indices of mode ${mode + 1} have the same label, so their rows in a table would be mixed up; write .tns or .npz.`,
      )
  })
}
