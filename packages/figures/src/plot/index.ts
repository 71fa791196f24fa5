/**
 * The plot kit: colours and strokes, logarithmic axes, and a sheet that puts plots, headings and a legend
 * into one SVG.
 */
export { axisLabel, frame } from './frame.ts'
export { type LegendItem, Sheet } from './sheet.ts'
export { fill, type Look, looks, sampleLooks, stroke, WIDTH } from './style.ts'
export { logScale } from './ticks.ts'
