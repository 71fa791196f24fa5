/** Formats numbers as text for users, on the command line and in the studio. */
import { groupDigits, numberAsText } from 'lacuna/internal'

/** A whole number with separators between groups of three digits: 3,309,490. */
export { groupDigits as formatCount }

/** A number with four significant digits, without trailing zeros; a small or large one with an exponent. */
export const formatNumber = (x: number): string => formatSignificant(x, 4)

/** A number with at most `digits` significant digits; without trailing zeros, or with an exponent. */
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

/** A large number with three significant digits and a prefix: 12.3 M, 4.56 k; a dash if it is not finite. */
export function abbreviateNumber(n: number): string {
  if (!Number.isFinite(n)) return '–'
  for (const [size, unit] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ] as const)
    if (n >= size) return (n / size).toPrecision(3) + unit
  return n.toPrecision(3)
}

/** A fraction as a percentage: 45%, 3.2%. */
export const formatPercent = (fraction: number): string =>
  `${fraction >= 0.1 ? Math.round(100 * fraction) : Number((100 * fraction).toPrecision(2))}%`

/**
 * How many of a tensor's cells are observed: 4.2%, 0.0016%, or `all`. Where less than 10% are missing, the
 * number of missing cells is added, and the percentage is never rounded up to 100%: 99.6%, all but 1,754.
 */
export function formatDensity(entries: number, cells: number): string {
  const missing = cells - entries
  if (missing <= 0) return 'all'
  if (missing > 0.1 * cells) return formatPercent(entries / cells)
  // As many decimals as show two digits of what is missing.
  const decimals = Math.min(6, Math.max(0, 1 - Math.floor(Math.log10((100 * missing) / cells))))
  const percent = Math.floor((100 * entries * 10 ** decimals) / cells) / 10 ** decimals
  return `${percent}%, all but ${groupDigits(missing)}`
}

/**
 * A number with the digits that its error leaves: rounded to about a twentieth of the error, 4.21 for an error
 * of 0.9. All digits of a float32 number if the error is not known.
 */
export function formatByError(x: number, error: number | undefined): string {
  if (error === undefined || !(error > 0) || !Number.isFinite(error)) return numberAsText(x)
  const decimals = Math.min(12, Math.max(0, Math.ceil(-Math.log10(error / 20))))
  return String(Number(x.toFixed(decimals)))
}
