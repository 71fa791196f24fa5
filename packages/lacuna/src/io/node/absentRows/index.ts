/** The absent rows of a long table, predicted and in their places among its own. */
export { AbsentCells } from './absentCells.ts'
export { type AbsentRow, AbsentRows } from './absentRows.ts'
export { RowOrder } from './rowOrder.ts'
