/** Which labels of an axis are shown, and how much of each, so that none overlaps another. */

/** The height of a line of text, in pixels, with a gap to the next. */
const LINE = 13
/** Characters of a label that are shown at most. */
const MOST_CHARACTERS = 16
/** The width of a character at most, in pixels, for nearly all labels. */
const CHARACTER = 7
/** The fraction of a chart's width that labels beside it may take. */
const MOST_WIDTH = 0.35

/**
 * Every how many labels one is shown, where labels are lines of text across the axis.
 * @param count the number of labels
 * @param extent the length of the axis in pixels
 */
export const labelStep = (count: number, extent: number): number =>
  Math.max(1, Math.ceil((count * LINE) / Math.max(LINE, extent)))

/** The labels at an axis: the characters that are shown of each, and the space that they take. */
export interface LabelSpace {
  characters: number
  pixels: number
}

/** Measures labels by their length. @param width of the chart, of which labels beside it take a part; no limit by default */
export function measureLabels(labels: readonly string[], width = Number.POSITIVE_INFINITY): LabelSpace {
  const longest = labels.reduce((most, { length }) => Math.max(most, length), 2)
  const most = Math.max(4, Math.floor((MOST_WIDTH * width) / CHARACTER))
  const characters = Math.min(MOST_CHARACTERS, most, longest)
  return { characters, pixels: 8 + CHARACTER * characters }
}

/** A label cut to a number of characters. */
export const cutLabel = (label: string, characters: number): string =>
  label.length > characters ? `${label.slice(0, characters - 1)}…` : label
