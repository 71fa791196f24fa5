/** The options of `lacuna fill`, and where its answers go. */
import type { AnswerOutput } from 'lacuna/internal'
import type { Assignment } from '../../options/rowNames.ts'
import type { FileOptions } from '../../options/tableOptions.ts'
import { print } from '../../print/print.ts'
import { printable } from '../../print/printable.ts'

/** Options of `lacuna fill`, as parsed from the command line; the help describes each. */
export interface FillOptions extends FileOptions {
  slice?: Assignment[]
  interval?: number
  absent?: boolean
  addSteps?: boolean
  data?: string
  missingOnly?: boolean
  output?: string
  rank?: number
  seed: number
  threads: number
  clip: boolean
  json?: boolean
  quiet?: boolean
}

/** Where answers are written: the file of -o, or stdout as CSV or NDJSON, escaped on a terminal. */
export const answerOutput = ({ output, json }: FillOptions): AnswerOutput =>
  output !== undefined && output !== '-'
    ? output
    : {
        format: json ? 'ndjson' : 'csv',
        write: (text) => print(process.stdout.isTTY ? printable(text) : text),
      }
