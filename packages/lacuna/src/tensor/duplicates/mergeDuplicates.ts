/** Merges entries with equal coordinates, or refuses them. */
import { InputError, option, sentence } from '../../base/inputError.ts'
import { trim } from '../../base/sharedArrays.ts'
import { cellText, type DuplicatePolicy, type SparseTensor } from '../sparseTensor.ts'
import { findDuplicates } from './findDuplicates.ts'

/**
 * Merges entries with equal coordinates by a policy: their sum, mean (weighted by their weights, which are
 * summed) or last one. Throws if there are any under `error`, if entries with weights are to be summed, or if
 * a sum overflows a float32. Merged entries stand in the order of their first ones. Writes to the arrays.
 * @param where names an entry in messages
 */
export function mergeDuplicates(
  { indices, values, weights }: SparseTensor,
  policy: DuplicatePolicy,
  where: (entry: number) => string,
): Pick<SparseTensor, 'indices' | 'values' | 'weights'> {
  // 0 for the first entry at its coordinates, else 1 + that entry's number. Once a first entry has its final
  // position among the merged ones, its 0 is replaced by that position.
  const firstOf = findDuplicates(indices, values.length)
  if (!firstOf) return { indices, values, ...(weights && { weights }) }
  if (weights && policy === 'sum') throw weightedSumError()
  const weightOf = (e: number): number => (weights ? weights[e] : 1)
  // From the first duplicate on: per merged entry, the sum of its values times their weights, and the sum of
  // its weights. In float64: a float32 stops counting ones at 2²⁴, and a mean may fit where the sum does not.
  // Compensated summation: rounding errors are summed in `errors`, else the order of the input would show in a sum
  // of numbers of very different size.
  let sums: Float64Array | undefined
  let errors: Float64Array | undefined
  let counts: Float64Array | undefined
  let merged = 0
  for (let e = 0; e < values.length; e++) {
    if (firstOf[e] === 0) {
      if (merged !== e) {
        for (const column of indices) column[merged] = column[e]
        values[merged] = values[e]
        if (weights) weights[merged] = weights[e]
      }
      if (sums && counts) {
        sums[merged] = weightOf(merged) * values[merged]
        counts[merged] = weightOf(merged)
      }
      firstOf[e] = merged++
      continue
    }
    const first = firstOf[firstOf[e] - 1]
    if (policy === 'error') throw duplicateError(where(e), entryCellText(indices, first), where(first))
    if (policy === 'last') {
      values[first] = values[e]
      if (weights) weights[first] = weights[e]
      continue
    }
    if (!sums || !counts || !errors) {
      // Loops, since `Float64Array.from` makes a list of all numbers first.
      sums = new Float64Array(values.length)
      counts = new Float64Array(values.length)
      errors = new Float64Array(values.length)
      for (let entry = 0; entry < values.length; entry++) {
        counts[entry] = weightOf(entry)
        sums[entry] = counts[entry] * values[entry]
      }
    }
    const term = weightOf(e) * values[e]
    const sum = sums[first] + term
    errors[first] += roundingError(sums[first], term, sum)
    sums[first] = sum
    counts[first] += weightOf(e)
    if (policy === 'sum' && !Number.isFinite(Math.fround(sums[first])))
      throw new InputError(
        'value',
        `${where(e)}: the sum at ${entryCellText(indices, first)} is too large for a float32.`,
      )
  }
  if (sums && counts && errors)
    for (let e = 0; e < merged; e++) {
      const sum = sums[e] + errors[e]
      if (policy === 'sum') values[e] = sum
      else if (counts[e] > 0) values[e] = sum / counts[e]
      if (weights) weights[e] = counts[e]
    }
  return {
    indices: indices.map((column) => trim(column, merged)),
    values: trim(values, merged),
    ...(weights && { weights: trim(weights, merged) }),
  }
}

/** Returns a + b − sum exactly, where `sum` is a + b as rounded to float64 (Knuth's TwoSum). */
function roundingError(a: number, b: number, sum: number): number {
  const bInSum = sum - a
  return a - (sum - bInSum) + (b - bInSum)
}

/** Returns the error of summing duplicates that have weights. */
function weightedSumError(): InputError {
  return new InputError(
    'option',
    sentence`Entries that are added up have no one weight; merge them with ${option('duplicates', 'mean', 'last')}, or leave the weights out.`,
  )
}

/**
 * Returns the error of an entry that has the coordinates of an earlier one.
 * @param first names the earlier entry
 */
export function duplicateError(where: string, coordinates: string, first: string): InputError {
  return new InputError(
    'duplicate',
    sentence`${where}: coordinates ${coordinates} were already given by ${first}; say how to merge duplicates with ${option('duplicates', 'sum', 'mean', 'last')}.`,
  )
}

/** Prints the coordinates of an entry for messages. */
const entryCellText = (indices: readonly Uint32Array[], entry: number): string =>
  cellText(indices.map((column) => column[entry]))

/** Throws if two entries have equal coordinates. @param where names an entry in messages */
export function refuseDuplicates(tensor: SparseTensor, where: (entry: number) => string): void {
  mergeDuplicates(tensor, 'error', where)
}
