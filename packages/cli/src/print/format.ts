/** Formats numbers, lists and tables as text for users. */
import type { ErrorSummary } from 'lacuna'
import { formatCount, formatNumber } from 'lacuna-figures/numbers'
import { oneLine } from './printable.ts'

export {
  abbreviateNumber,
  formatCount,
  formatNumber,
  formatSeconds,
  formatSignificant,
} from 'lacuna-figures/numbers'

/** Joins words to an enumeration: `a, b and c`. */
export function formatList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Formats a number of things: 1 entry, 2 entries, 3,000 rows. @param noun in the singular */
export function formatCounted(n: number, noun: string): string {
  return `${formatCount(n)} ${n === 1 ? noun : noun.replace(/y$/, 'ie').concat('s')}`
}

/**
 * Formats rows of cells as lines with aligned columns: the first to the left, the others to the right. Cells
 * may hold texts of files: control characters are escaped.
 */
export function formatTable(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(oneLine))
  const columns = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, c) =>
    Math.max(...rows.map((row) => (row[c] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c])))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Head of a table of errors, whose rows are made by errorRow. */
export const errorHeads: string[] = ['', 'relative error', 'RMSE', 'MAE']

/** Formats a row of a table of errors: name, relative error, RMSE and MAE. */
export const errorRow = (name: string, { relative, rmse, mae }: ErrorSummary): string[] => [
  name,
  formatNumber(relative),
  formatNumber(rmse),
  formatNumber(mae),
]
