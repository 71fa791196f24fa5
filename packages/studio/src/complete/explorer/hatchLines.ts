/**
 * The lines of a hatching as the data of an SVG path: diagonals, rising to the right, cut at a rectangle.
 * @param distance of two lines along the horizontal axis
 */
export function hatchLines(width: number, height: number, distance: number): string {
  const lines: string[] = []
  for (let x = distance - height; x < width; x += distance) {
    // The line runs from (x, height) to (x + height, 0).
    const [from, to] = [Math.max(0, x), Math.min(width, x + height)]
    lines.push(`M${from},${height - (from - x)}L${to},${height - (to - x)}`)
  }
  return lines.join('')
}
