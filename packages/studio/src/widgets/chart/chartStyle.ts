/** Fonts and colours that all charts share. */
export const chartStyle = {
  fontFamily: 'var(--font)',
  fontSize: '11px',
  background: 'none',
  color: 'var(--soft)',
} as const

/** Colours of the tips that appear under the pointer. */
export const tipStyle = { fill: 'var(--card)', stroke: 'var(--line-strong)', fontSize: 11 } as const

/** A number at a tick of an axis, short: 0, 500, 1.5k, 20k, 3M. */
export function formatTick(x: number): string {
  const [unit, letter] = Math.abs(x) >= 1e6 ? [1e6, 'M'] : Math.abs(x) >= 1e3 ? [1e3, 'k'] : [1, '']
  return `${Number((x / unit).toPrecision(6))}${letter}`
}

/** A series of a chart. */
export interface LegendEntry {
  text: string
  /** A CSS colour, which may be a variable of the theme. */
  colour: string
  /** SVG's stroke-dasharray; a solid line without it. */
  dash?: string
}
