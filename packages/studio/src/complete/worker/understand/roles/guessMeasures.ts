/** Guesses which column is the value where another one may be its weight, and asks. */
import { type Batch, type ColumnSummary, guessValue, isFraction, isNumeric } from 'lacuna/internal'
import type { Question } from '../../../understanding/index.ts'
import { cellTexts, hasFewLabels } from '../sampleTexts.ts'

/** Names of columns that weight a value: how often or how exactly it was measured. */
const WEIGHT = /^(weights?|n)$/i
/** Names of numbers of rows, which are values as often as weights. */
const COUNT = /^counts?$/i
/** Names of values, which no count is. */
const VALUE = /^(rating|value|score|amount|stars|total|volume)s?$/i

/** The columns of numbers that are not modes. */
export interface Measures {
  value?: string
  weight?: string
  /** Two columns of which the first may be the value and the second its weight, or the second the value. */
  either?: { value: string; weight: string }
}

/**
 * Guesses value and weight.
 * @param candidates the columns that may be measurements
 * @param columns all columns, in the order of the cells of the sample
 */
export function guessMeasures(
  sample: Batch,
  columns: readonly ColumnSummary[],
  candidates: readonly ColumnSummary[],
): Measures {
  const guessed = guessValue(candidates)?.name
  const findNumber = (kind: RegExp): ColumnSummary | undefined =>
    candidates.find(({ name, type }) => isNumeric(type) && kind.test(name))
  const weight = findNumber(WEIGHT) ?? findNumber(COUNT)
  const value = weight && guessValue(candidates.filter((column) => column !== weight))
  if (!weight || !value || !isMeasurement(sample, columns.indexOf(value), value)) return { value: guessed }
  const either = { value: value.name, weight: weight.name }
  // A price beside a count may be as well what is asked about as the count.
  return COUNT.test(weight.name) && !VALUE.test(value.name)
    ? { value: weight.name, either }
    : { ...either, either }
}

/** Whether a column of numbers is no label: it is called like a value, or has many values, fractions or signs among them. */
function isMeasurement(sample: Batch, position: number, column: ColumnSummary): boolean {
  if (VALUE.test(column.name) || COUNT.test(column.name)) return true
  if (hasFewLabels(sample, position)) return false
  return isFraction(column.type) || cellTexts(sample, position).some((text) => /^\s*-/.test(text ?? ''))
}

/** The question which of two columns is the value. */
export const measuresQuestion = ({ value, weight }: NonNullable<Measures['either']>): Question => ({
  ...{ kind: 'value', id: 'value', isNeeded: false, value, weight },
  answers: [
    { key: 'both', changes: {}, roles: { [value]: { role: 'value' }, [weight]: { role: 'weight' } } },
    { key: 'value', changes: {}, roles: { [value]: { role: 'value' }, [weight]: { role: 'ignored' } } },
    { key: 'weight', changes: {}, roles: { [weight]: { role: 'value' }, [value]: { role: 'ignored' } } },
  ],
})
