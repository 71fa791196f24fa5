/** The first rows of a table: their cells as texts, and the types of the columns. */
import {
  type Batch,
  type ColumnSummary,
  cellText,
  isMissingMark,
  likelyFormats,
  summarizeColumns,
} from 'lacuna/internal'
import type { Table } from 'lacuna/tables'

/** The most texts of a column that are examined. */
const EXAMINED = 2000
/** The most rows by which a table is understood: more would take long, and hardly change what is understood. */
export const MOST_ROWS = 4000
/** A column is one of times if at least this fraction of its cells are. */
const MOST_CELLS = 0.9

/** Largest fraction of distinct labels among rows: numbers with more are measurements. */
export const FEW_LABELS = 0.2

/** The filled cells of a column of the sample, trimmed, without marks of missing values. */
export function filledTexts(sample: Batch, column: number): string[] {
  const cells = sample.columns[column]
  if (cells instanceof Float64Array) return []
  const texts: string[] = []
  for (let row = 0; row < sample.rowCount && texts.length < EXAMINED; row++) {
    const text = cellText(cells, row)?.trim() ?? ''
    if (text !== '' && !isMissingMark(text)) texts.push(text)
  }
  return texts
}

/** The cells of a column of the sample as text. */
export function cellTexts(sample: Batch, column: number): (string | null)[] {
  const cells = sample.columns[column]
  return Array.from({ length: sample.rowCount }, (_, row) =>
    cells instanceof Float64Array ? String(cells[row]) : cellText(cells, row),
  )
}

/** Whether the labels of a column of the sample are few, but more than one. */
export function hasFewLabels(sample: Batch, column: number): boolean {
  const { size } = new Set(cellTexts(sample, column))
  return size <= FEW_LABELS * sample.rowCount && size > 1
}

/** The first rows of a table, by which it is understood. */
export async function firstRows(table: Table): Promise<Batch> {
  const sample = await table.sample()
  return { ...sample, rowCount: Math.min(sample.rowCount, MOST_ROWS) }
}

/** Summarizes the columns of a table; a few cells that are no times do not make a column of times one of text. */
export function summarizeSample(table: Table, sample: Batch, dates?: readonly string[]): ColumnSummary[] {
  return summarizeColumns(table, sample, dates).map((column, c) => {
    if (column.type !== 'VARCHAR' || column.foreign || sample.columns[c] instanceof Float64Array)
      return column
    const texts = filledTexts(sample, c)
    const usual = usualShape(texts)
    if (usual.length < MOST_CELLS * texts.length || usual.length === texts.length) return column
    if (usual.every((text) => /^\d{4}-\d\d-\d\d/.test(text))) return { ...column, type: 'TIMESTAMP' }
    const foreign = likelyFormats([...new Set(usual)].slice(0, 1000))
    return foreign.length > 0 ? { ...column, foreign } : column
  })
}

/** The texts of the most frequent shape: the same signs, with numbers and words in the same positions. */
function usualShape(texts: readonly string[]): string[] {
  const shapes = new Map<string, string[]>()
  for (const text of texts) {
    const shape = text.replace(/\d+/g, '9').replace(/\p{L}+/gu, 'a')
    const group = shapes.get(shape)
    if (group) group.push(text)
    else shapes.set(shape, [text])
  }
  return [...shapes.values()].reduce((most, group) => (group.length > most.length ? group : most), [])
}
