import { numberAsText } from 'lacuna/internal'

/** Numbers as people read them. */

export { grouped as count } from 'lacuna/internal'

/** Four significant digits, without needless ones. */
export function figure(x: number): string {
  if (x === 0) return '0'
  const size = Math.abs(x)
  return size >= 1e-4 && size < 1e6 ? String(Number(x.toPrecision(4))) : x.toExponential(2)
}

export const percent = (share: number): string =>
  `${share >= 0.1 ? Math.round(100 * share) : Number((100 * share).toPrecision(2))}%`

export const seconds = (s: number): string =>
  s < 10 ? `${s.toFixed(1)} s` : s < 120 ? `${Math.round(s)} s` : `${Math.round(s / 60)} min`

/** 12.3 M, 4.56 k */
export function short(n: number): string {
  if (!Number.isFinite(n)) return '–'
  for (const [size, unit] of [
    [1e9, ' G'],
    [1e6, ' M'],
    [1e3, ' k'],
  ] as const)
    if (n >= size) return (n / size).toPrecision(3) + unit
  return String(Math.round(n))
}

/** A number to the precision of a float32, as the command line prints it. */
export const float32Text = (x: number): string => (Number.isFinite(x) ? numberAsText(x) : String(x))
