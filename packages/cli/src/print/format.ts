/** Numbers and tables as people read them. */
import type { ErrorSummary } from 'lacuna'

export { grouped as count } from 'lacuna/internal'

/** Four significant digits, without needless ones. */
export const figure = (x: number): string =>
  x === 0
    ? '0'
    : Math.abs(x) >= 1e-4 && Math.abs(x) < 1e6
      ? String(Number(x.toPrecision(4)))
      : x.toExponential(2)

export const seconds = (s: number): string =>
  s < 10
    ? `${s.toFixed(s < 1 ? 2 : 1)} s`
    : s < 120
      ? `${Math.round(s)} s`
      : s < 7200
        ? `${Math.round(s / 60)} min`
        : `${(s / 3600).toFixed(1)} h`

/** 12.3 M, 4.56 k */
export function short(n: number): string {
  for (const [size, unit] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ] as const)
    if (n >= size) return (n / size).toPrecision(3) + unit
  return n.toPrecision(3)
}

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
