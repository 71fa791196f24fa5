/** What is asked of a parser of .tns text, and what it gives. */
import type { Layout } from './fault.ts'
import type { TnsHeader } from './header.ts'

export interface ParserOptions {
  /** The file, as messages name it. */
  name: string
  /** Decides from the first entry's number of columns what the lines hold, or throws. */
  layout(columns: number, where: string): Layout
  /** Indices beyond these are refused. */
  dims?: readonly number[]
  /** About how many bytes will come. */
  sizeHint?: number
  /** Lines of the file before the first that comes. */
  linesBefore?: number
  /** Whether comments before the first entry may speak of the tensor; true by default. */
  header?: boolean
}

export interface Columns {
  /** 0-based, one column per mode */
  indices: Uint32Array[]
  /** Empty where the layout has no values. */
  values: Float32Array
  where: (entry: number) => string
  /** What comments before the first entry said of the tensor. */
  header: TnsHeader
}
