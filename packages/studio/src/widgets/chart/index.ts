/** Charts: one wrapper over Observable Plot, its style, and the chart of a run's errors. */
export { Chart } from './Chart.tsx'
export { chartStyle, formatTick, type LegendEntry, tipStyle } from './chartStyle.ts'
export { type Cell, type ChartTable, cellText, fileStem, quoteField, tableToCsv } from './chartTable.ts'
export { ErrorChart } from './ErrorChart.tsx'
export { Legend } from './Legend.tsx'
export type { Domain } from './zoom.ts'
