/** The places of the largest numbers, in one pass; of equal ones the first. */
export function largest(
  numbers: ArrayLike<number>,
  most: number,
  isAllowed: (place: number) => boolean = () => true,
): number[] {
  const best: number[] = []
  for (let place = 0; place < numbers.length; place++) {
    if (best.length === most && !(numbers[place] > numbers[best[most - 1]])) continue
    if (!isAllowed(place)) continue
    let at = best.length
    while (at > 0 && numbers[best[at - 1]] < numbers[place]) at--
    best.splice(at, 0, place)
    if (best.length > most) best.pop()
  }
  return best
}
