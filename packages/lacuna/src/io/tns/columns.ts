/** The options and the result of the parser of .tns text. */
import type { Layout } from './fault.ts'
import type { TnsHeader } from './header.ts'

/** Options of TnsParser. */
export interface ParserOptions {
  /** The file, as messages name it. */
  name: string
  /** Decides the layout of the lines from the number of columns of the first entry, or throws. */
  layout(columns: number, where: string): Layout
  /** Sizes of the modes; larger indices are an error. */
  dims?: readonly number[]
  /** The approximate number of bytes; with it the columns need not be enlarged. */
  sizeHint?: number
  /** The number of lines of the file before the text. */
  linesBefore?: number
  /** Whether comments before the first entry are parsed as a header; true by default. */
  header?: boolean
}

/** The entries of a .tns text, column by column; not yet checked as a tensor. */
export interface Columns {
  /** One column of 0-based indices per mode. */
  indices: Uint32Array[]
  /** Empty where the layout has no values. */
  values: Float32Array
  /** Returns the file and line of an entry, as messages name it. */
  where: (entry: number) => string
  /** The header, from comments before the first entry. */
  header: TnsHeader
}
