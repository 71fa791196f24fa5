/** Numbers and tables as people read them. */
import type { ErrorSummary } from 'lacuna'
import { formatNumber as figure } from 'lacuna-figures/numbers'

export {
  abbreviateNumber as short,
  formatCount as count,
  formatNumber as figure,
  formatSeconds as seconds,
} from 'lacuna-figures/numbers'

/** Columns of equal width: the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
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

/** Columns of a table of errors. */
export const errorHeads: string[] = ['', 'relative error', 'RMSE', 'MAE']

export const errorRow = (name: string, { relative, rmse, mae }: ErrorSummary): string[] => [
  name,
  figure(relative),
  figure(rmse),
  figure(mae),
]
