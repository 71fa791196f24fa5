import { type Digit, modesAsLearned } from '../tensor/index.ts'
import type { CpModel } from './cpModel.ts'

/** What the rows of a factor stand for. */
export interface FactorMode {
  name: string
  size: number
  /** Undefined where there is no more to say than the row's number. */
  labelOf(row: number): string | undefined
}

/**
 * The modes of the factors. They are the model's own unless these were merged or split: then there are pairs of labels,
 * blocks by their first row, and places by number. `unnamed` names a mode that has no name.
 */
export function factorModes(
  model: Pick<CpModel, 'dims' | 'modes' | 'labels' | 'reshapedModes'>,
  unnamed: (mode: number) => string = (mode) => `mode ${mode + 1}`,
): FactorMode[] {
  const { dims, modes, labels } = model
  const { digits, dims: sizes } = modesAsLearned(model)
  const nameOf = (mode: number): string => modes?.[mode]?.name || unnamed(mode)
  const labelAt = (mode: number, index: number): string => labels?.[mode]?.[index] ?? String(index + 1)
  const isSplit = ({ mode }: Digit): boolean =>
    digits.filter((parts) => parts.some((part) => part.mode === mode)).length > 1

  return digits.map((parts, k) => {
    const [first] = parts
    if (!isSplit(first))
      return {
        name: parts.map(({ mode }) => nameOf(mode)).join(' × '),
        size: sizes[k],
        labelOf: (row) =>
          parts.length === 1
            ? labels?.[first.mode]?.[row]
            : parts
                .map(({ mode, weight, size }) => labelAt(mode, Math.floor(row / weight) % size))
                .join(' × '),
      }
    const { mode, stride, offset, size } = first
    const isBlocks = stride * size >= dims[mode] + offset
    const within = stride * size
    const what = isBlocks
      ? `blocks of ${stride}`
      : stride > 1
        ? `blocks of ${stride} in ${within}`
        : `place in ${within}`
    return {
      name: `${nameOf(mode)}, ${what}`,
      size,
      labelOf: (row) => (isBlocks ? `from ${labelAt(mode, Math.max(0, row * stride - offset))}` : undefined),
    }
  })
}
