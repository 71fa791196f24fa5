/** Numbers and tables as text for people. */
import type { ErrorSummary } from 'lacuna'

/** A whole number with separators between groups of three digits: 3,309,490. */
export { grouped as formatCount } from 'lacuna/internal'

/**
 * A number with four significant digits, without trailing zeros; very small and large ones with an exponent.
 */
export const formatNumber = (x: number): string => formatSignificant(x, 4)

/**
 * A number with at most so many significant digits, without trailing zeros; very small and large ones with an
 * exponent.
 */
export function formatSignificant(x: number, digits: number): string {
  if (x === 0) return '0'
  const size = Math.abs(x)
  const isPlain = size >= 10 ** -digits && size < 10 ** (digits + 2)
  return isPlain ? String(Number(x.toPrecision(digits))) : x.toExponential(digits - 2)
}

/** A duration with its unit: 0.25 s, 3.1 s, 45 s, 12 min, 2.5 h. */
export const formatSeconds = (s: number): string =>
  s < 10
    ? `${s.toFixed(s < 1 ? 2 : 1)} s`
    : s < 120
      ? `${Math.round(s)} s`
      : s < 7200
        ? `${Math.round(s / 60)} min`
        : `${(s / 3600).toFixed(1)} h`

/** A large number with three significant digits and a prefix: 12.3 M, 4.56 k. */
export function abbreviateNumber(n: number): string {
  for (const [size, unit] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ] as const)
    if (n >= size) return (n / size).toPrecision(3) + unit
  return n.toPrecision(3)
}

/** An enumeration: a, b and c. */
export function formatList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** Rows of cells as lines with columns of equal width: the first aligned left, the others right. */
export function formatTable(rows: readonly (readonly string[])[]): string {
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

/** Row of a table of errors. */
export const errorRow = (name: string, { relative, rmse, mae }: ErrorSummary): string[] => [
  name,
  formatNumber(relative),
  formatNumber(rmse),
  formatNumber(mae),
]
