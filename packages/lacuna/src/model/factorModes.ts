/** Names and labels of the factors' rows, also where modes were merged or split. */
import { type Digit, modesAsLearned } from '../tensor/index.ts'
import type { CpModel } from './cpModel.ts'

/** The mode of a factor. */
export interface FactorMode {
  /** Name of the mode, or a description of the reshaped mode. */
  name: string
  /** Number of rows. */
  size: number
  /** Label of a row, from 0; undefined where it has none but its number. */
  labelOf(row: number): string | undefined
}

/**
 * Name, size and row labels of each factor's mode. A row of merged modes has the labels of all of them,
 * joined by ×; a block of a split mode has `from` and the label of its first row; a position within a block
 * has none.
 * @param defaultName returns the name of a mode, given by its index, that has none
 */
export function factorModes(
  model: Pick<CpModel, 'dims' | 'modes' | 'labels' | 'reshapedModes'>,
  defaultName: (mode: number) => string = (mode) => `mode ${mode + 1}`,
): FactorMode[] {
  const { dims, modes, labels } = model
  const { digits, dims: sizes } = modesAsLearned(model)
  const nameOf = (mode: number): string => modes?.[mode]?.name || defaultName(mode)
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
