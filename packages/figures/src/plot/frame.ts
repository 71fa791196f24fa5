/** Options that all plots of Observable Plot share. */
import { FONT, FONT_SIZE, WIDTH } from './style.ts'

/** Returns options of Plot.plot: size, margins and fonts. */
export const frame = (document: Document, { width = WIDTH, height = 190, marginTop = 24 } = {}) => ({
  ...{ document, width, height, marginTop, marginRight: 12, marginBottom: 38, marginLeft: 46 },
  style: { fontFamily: FONT, fontSize: `${FONT_SIZE}px`, background: 'none', overflow: 'visible' },
})

/** Returns options of a horizontal axis with its name centred below it. */
export const axisLabel = (label: string) => ({
  ...{ label, labelAnchor: 'center' as const, labelArrow: 'none' as const },
})
