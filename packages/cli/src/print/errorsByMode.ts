/** Where errors lie, by the rows of a mode, in lines of text. */
import type { ModeErrors } from 'lacuna/answers'
import { formatCount, formatNumber } from './format.ts'
import { oneLine } from './printable.ts'

/** 1–4: 0.95 (621)   5–19: … */
export function supportLine({ name, bySupport }: ModeErrors): string {
  const groups = bySupport.map(
    ({ from, to, entries, rmse }) =>
      `${Number.isFinite(to) ? (from === to ? from : `${from}–${to}`) : `${from}+`}: ${formatNumber(rmse)} (${formatCount(entries)})`,
  )
  return `${oneLine(name)}  ${groups.join('   ')}`
}

export const worstHead = 'Rows that add most to the squared error: RMSE (entries, share of it)'

/** The rows by their labels, or as others call them. */
export function worstLine(
  { name, worst }: ModeErrors,
  called: (row: number) => string | undefined = () => undefined,
): string {
  const rows = worst.map(
    ({ row, label, entries, rmse, share }) =>
      `${oneLine(called(row) ?? label)} ${formatNumber(rmse)} (${formatCount(entries)}, ${(100 * share).toFixed(1)}%)`,
  )
  return `${oneLine(name)}  ${rows.join('   ')}`
}
