/** Controls and charts that the views share. */
export {
  type Cell,
  Chart,
  type ChartTable,
  cellText,
  chartStyle,
  type Domain,
  ErrorChart,
  fileStem,
  formatTick,
  Legend,
  type LegendEntry,
  quoteField,
  tableToCsv,
  tipStyle,
} from './chart/index.ts'
export { download } from './download.ts'
export { FileButton, FileDrop, FilesButton, useDrop, useDropFiles } from './FileDrop.tsx'
export { LambdaField } from './LambdaField.tsx'
export { RunButton } from './RunButton.tsx'
export { RunFigures } from './RunFigures.tsx'
export { Segmented } from './Segmented.tsx'
export { Slider } from './Slider.tsx'
export { useBringIntoView } from './useBringIntoView.ts'
