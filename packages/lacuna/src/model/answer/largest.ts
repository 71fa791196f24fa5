/** Indices of the largest numbers. */

/**
 * The indices of the largest numbers among those that are allowed, the largest first; equal numbers in the
 * order of their indices. One pass.
 * @param most how many indices at most
 */
export function largest(
  numbers: ArrayLike<number>,
  most: number,
  isAllowed: (index: number) => boolean = () => true,
): number[] {
  const best: number[] = []
  for (let index = 0; index < numbers.length; index++) {
    if (best.length === most && !(numbers[index] > numbers[best[most - 1]])) continue
    if (!isAllowed(index)) continue
    let at = best.length
    while (at > 0 && numbers[best[at - 1]] < numbers[index]) at--
    best.splice(at, 0, index)
    if (best.length > most) best.pop()
  }
  return best
}
