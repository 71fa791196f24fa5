import { below, draw } from '../random.ts'

/**
 * Deals the numbers 0, 1, … to parts of the given sizes, every division being equally likely: each part takes
 * the next number with probability (its places left) / (all places left). `take` is told in order of number.
 * At most 2³² numbers: the tickets are 32-bit, so a probability is off by less than 2⁻³².
 */
export function deal(
  sizes: readonly number[],
  key: number,
  take: (item: number, part: number) => void,
): void {
  const left = [...sizes]
  const total = sizes.reduce((sum, size) => sum + size, 0)
  for (let item = 0; item < total; item++) {
    let ticket = below(draw(key, item), total - item)
    let part = 0
    while (ticket >= left[part]) ticket -= left[part++]
    left[part]--
    take(item, part)
  }
}
