/** Zoom along the horizontal axis of a chart: arithmetic of its domain. */

/** The first and the last value that a chart shows. */
export type Domain = readonly [number, number]

/** The fraction of the shorter domain that one step of zoom shows. */
const STEP = 0.5
/** A drag of fewer pixels is a click. */
const LEAST_DRAG = 6

/** A horizontal scale: its domain, and its range in pixels. */
export interface HorizontalScale {
  domain: Domain
  range: Domain
}

/** Returns half of a domain around its middle. */
export function zoomIn([from, to]: Domain): Domain {
  const margin = (STEP * (to - from)) / 2
  return [from + margin, to - margin]
}

/** Returns twice a domain around its middle, within the whole one; undefined if that is the whole. */
export function zoomOut([from, to]: Domain, whole: Domain): Domain | undefined {
  const margin = (to - from) / STEP / 2 - (to - from) / 2
  const wider: Domain = [Math.max(whole[0], from - margin), Math.min(whole[1], to + margin)]
  return wider[0] <= whole[0] && wider[1] >= whole[1] ? undefined : wider
}

/**
 * Returns the part of a domain between two pixels, in either order and limited to the range; undefined if the
 * pixels are too near to each other for a drag.
 */
export function dragDomain({ domain, range }: HorizontalScale, a: number, b: number): Domain | undefined {
  if (Math.abs(a - b) < LEAST_DRAG) return undefined
  const [low, high] = [Math.min(a, b), Math.max(a, b)].map((pixel) =>
    Math.min(range[1], Math.max(range[0], pixel)),
  )
  const value = (pixel: number): number =>
    domain[0] + ((pixel - range[0]) / (range[1] - range[0])) * (domain[1] - domain[0])
  return value(high) > value(low) ? [value(low), value(high)] : undefined
}
