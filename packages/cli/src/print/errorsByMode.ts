/** Lines of text about the errors of a mode: by support of its rows, and of the worst rows. */
import type { ModeErrors } from 'lacuna/answers'
import { formatCount, formatNumber } from './format.ts'
import { oneLine } from './printable.ts'

/** Formats RMSE and number of entries by support (entries per row): `film  1–4: 0.95 (621)   5–19: …`. */
export function supportLine({ name, bySupport }: ModeErrors): string {
  const groups = bySupport.map(
    ({ from, to, entries, rmse }) =>
      `${Number.isFinite(to) ? (from === to ? from : `${from}–${to}`) : `${from}+`}: ${formatNumber(rmse)} (${formatCount(entries)})`,
  )
  return `${oneLine(name)}  ${groups.join('   ')}`
}

/** Heading of the lines that worstLine makes. */
export const worstHead = 'Rows that add most to the squared error: RMSE (entries, share of it)'

/**
 * Formats the rows of a mode with the largest sums of squared errors: RMSE, entries, percentage of the total.
 * @param nameOf name of a row; where it is undefined, the label is printed
 */
export function worstLine(
  { name, worst }: ModeErrors,
  nameOf: (row: number) => string | undefined = () => undefined,
): string {
  const rows = worst.map(
    ({ row, label, entries, rmse, share }) =>
      `${oneLine(nameOf(row) ?? label)} ${formatNumber(rmse)} (${formatCount(entries)}, ${(100 * share).toFixed(1)}%)`,
  )
  return `${oneLine(name)}  ${rows.join('   ')}`
}
