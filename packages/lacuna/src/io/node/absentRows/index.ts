/** The rows that a long table lacks, predicted and in their places among its own. */
export { AbsentRows } from './absentRows.ts'
export { type LackingRow, LackingRows } from './lackingRows.ts'
export { RowOrder } from './rowOrder.ts'
