/** From a file to a meaning: what a table contains, the questions about it, and the tensor that it becomes. */
export type { BadRows } from './cleanTable.ts'
export { type KeptTable, keepTable } from './keepTable.ts'
export { type LastRead, type ReadTable, readTable } from './readTable.ts'
export { understandTable } from './understandTable.ts'
export { isWideHeader } from './wideColumns.ts'
