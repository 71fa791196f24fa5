/**
 * The FROSTT text format: on each line N indices, counted from 1, and a value, separated by blanks. Lines
 * that are blank or begin with # or % are passed over, except Lacuna's own comments (header.ts), which hold
 * names and sizes.
 */
export type { Columns } from './columns.ts'
export type { Layout } from './fault.ts'
export { LineKernel } from './lineKernel.ts'
export { LineMap } from './lineMap.ts'
export { LONGEST_LINE } from './parser.ts'
export {
  type ColumnFacts,
  type Coordinates,
  defersDuplicates,
  parseFirstEntry,
  type ReadCoordinatesOptions,
  type ReadTnsOptions,
  readCoordinates,
  readEntries,
  readLines,
  readTns,
  sizesAndNames,
  tensorOfColumns,
} from './read.ts'
export { type WriteTnsOptions, writeTns } from './write.ts'
