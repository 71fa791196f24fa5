/** Numbers as the report of the paper's experiments prints them. */
import { formatSignificant } from '../print/format.ts'

/** Formats a number with three significant digits. */
export const formatThreeDigits = (x: number): string => formatSignificant(x, 3)

/** Formats the sizes of the modes, as in 183 × 24 × 1140. */
export const formatDims = (dims: readonly number[]): string => dims.join(' × ')
