/**
 * Where coordinates may not repeat, looking for those that do takes a table of all entries. An engine that sorts the entries
 * sees them for nothing: so who reads a tensor that goes to an engine as it is may put the search off, and leave behind what it
 * takes to refuse the entries in the words in which they would have been refused at once.
 */
import type { SparseTensor } from '../sparseTensor.ts'

/** By their values, which stay the same array when a tensor gets other sizes or names. */
const checks = new WeakMap<Float32Array, () => void>()

/** check: looks for repeated coordinates, and throws what is to be said of them. */
export function putOffRepetitionCheck({ values }: SparseTensor, check: () => void): void {
  checks.set(values, check)
}

/** What is to be done if entries turn out to repeat others; nothing where that has been looked for, or is allowed. */
export const repetitionCheck = ({ values }: SparseTensor): (() => void) | undefined => checks.get(values)
