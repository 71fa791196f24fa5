/** Numbers and lists as the report says them. */

/** Three significant digits. */
export const short = (x: number): string =>
  x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5)
    ? x.toExponential(1)
    : String(Number(x.toPrecision(3)))

export { grouped as count } from 'lacuna/internal'

export const sizes = (dims: readonly number[]): string => dims.join(' × ')

/** a, b and c */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
