import { FONT, FONT_SIZE, WIDTH } from './style.ts'

/** What all plots have in common. */
export const frame = (document: Document, { width = WIDTH, height = 190, marginTop = 24 } = {}) => ({
  ...{ document, width, height, marginTop, marginRight: 12, marginBottom: 38, marginLeft: 46 },
  style: { fontFamily: FONT, fontSize: `${FONT_SIZE}px`, background: 'none', overflow: 'visible' },
})

/** The name of the horizontal axis, under its middle. */
export const axisLabel = (label: string) => ({
  ...{ label, labelAnchor: 'center' as const, labelArrow: 'none' as const },
})
