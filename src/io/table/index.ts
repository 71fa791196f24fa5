/** Tensors and factors as the text of tables. */
export { columnNames } from './columns.ts'
export { type TableText, tableText } from './rowStyle.ts'
export { writeFactors } from './writeFactors.ts'
export { writeTable } from './writeTable.ts'
