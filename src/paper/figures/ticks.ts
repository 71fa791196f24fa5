/** A tick's label without an exponent, and only at 1, 2 and 5 of each power of ten, where labels have room. */
export function plainNumber(x: number): string {
  const digit = x / 10 ** Math.floor(Math.log10(x) + 1e-9)
  return [1, 2, 5].some((shown) => Math.abs(digit - shown) < 1e-6) ? String(Number(x.toPrecision(1))) : ''
}
