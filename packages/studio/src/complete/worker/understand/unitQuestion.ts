/** Numbers with units, and the question whether the unit is left away. */
import type { Batch, ColumnSummary } from 'lacuna/internal'
import type { Question } from '../../understanding/index.ts'
import { findUnitStyle, parseMeasure, type UnitStyle } from './measures.ts'
import { filledTexts } from './sampleTexts.ts'

/** A column of numbers with a unit. */
export interface UnitColumn {
  column: string
  example: string
  style: UnitStyle
}

/** The last column of numbers with units. */
export function findUnit(columns: readonly ColumnSummary[], sample: Batch): UnitColumn | undefined {
  const c = columns.findLastIndex(
    (column, at) => column.type === 'VARCHAR' && unitOf(sample, at) !== undefined,
  )
  if (c < 0) return undefined
  return { column: columns[c].name, example: filledTexts(sample, c)[0], style: unitOf(sample, c)! }
}

/** The unit of a column of the sample; undefined if it has none. */
export function unitOf(sample: Batch, column: number): UnitStyle | undefined {
  const cells = sample.columns[column]
  return cells === undefined || cells instanceof Float64Array
    ? undefined
    : findUnitStyle(filledTexts(sample, column))
}

/** The question whether a unit is left away. */
export function unitQuestion({ column, example, style }: UnitColumn): Question {
  return {
    ...{ kind: 'unit', id: `unit ${column}`, isNeeded: false, column, example, unit: style.unit },
    answers: [
      {
        key: 'remove',
        reading: String(parseMeasure(example, style)),
        changes: { removeUnits: true },
      },
      { key: 'text', changes: { removeUnits: undefined } },
    ],
  }
}
