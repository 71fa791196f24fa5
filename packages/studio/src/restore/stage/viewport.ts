/**
 * The part of a picture that the stage shows. Positions on the stage (u, v) are fractions of its width and height;
 * the stage has the shape of the picture.
 */

/** A zoomed picture: it is `scale` times as large as the stage, and its corner is at (x, y), both at most 0. */
export interface View {
  scale: number
  x: number
  y: number
}

/** A position as fractions of width and height. */
export type Position = readonly [number, number]

/** The whole picture. */
export const WHOLE: View = { scale: 1, x: 0, y: 0 }

/** The nearest view whose scale is allowed and that has no empty margin. */
function limit({ scale, x, y }: View, mostScale: number): View {
  const s = Math.min(Math.max(1, mostScale), Math.max(1, scale))
  const clamp = (offset: number): number => Math.min(0, Math.max(1 - s, offset))
  return { scale: s, x: clamp(x), y: clamp(y) }
}

/**
 * Zooms by a factor; the picture's point at this position of the stage stays there.
 * @param mostScale the largest scale
 */
export function zoomAt({ scale, x, y }: View, factor: number, [u, v]: Position, mostScale: number): View {
  const next = Math.min(Math.max(1, mostScale), Math.max(1, scale * factor))
  const ratio = next / scale
  return limit({ scale: next, x: u - (u - x) * ratio, y: v - (v - y) * ratio }, mostScale)
}

/** Moves the picture by fractions of the stage. */
export const panBy = (view: View, du: number, dv: number): View =>
  limit({ ...view, x: view.x + du, y: view.y + dv }, view.scale)

/** Follows two fingers: the picture's points under them stay under them, as far as it is not turned. */
export function pinch(
  view: View,
  before: readonly [Position, Position],
  after: readonly [Position, Position],
  mostScale: number,
): View {
  const distance = ([[a, b], [c, d]]: readonly [Position, Position]): number => Math.hypot(c - a, d - b)
  const middle = ([[a, b], [c, d]]: readonly [Position, Position]): Position => [(a + c) / 2, (b + d) / 2]
  const [from, to] = [middle(before), middle(after)]
  const zoomed = zoomAt(view, distance(after) / Math.max(1e-6, distance(before)), from, mostScale)
  return panBy(zoomed, to[0] - from[0], to[1] - from[1])
}

/** The position in the picture, as fractions of its width and height, that is at a position of the stage. */
export const toPicture = ({ scale, x, y }: View, [u, v]: Position): Position => [
  (u - x) / scale,
  (v - y) / scale,
]

/** The position on the stage of a position in the picture. */
export const toStage = ({ scale, x, y }: View, [a, b]: Position): Position => [a * scale + x, b * scale + y]
