import type { Thousands } from 'lacuna/internal'
import type { Assignment } from '../../options/rowNames.ts'

/** Options of `lacuna predict`, as parsed from the command line; the help describes each. */
export interface PredictOptions {
  sheet?: string
  output?: string
  fallback?: number | 'mean'
  modes?: string[]
  value?: string
  decimal?: ',' | '.'
  thousands?: Thousands
  at?: Assignment[]
  query?: string
  database?: string
  clip: boolean
  json?: boolean
  quiet?: boolean
  interval?: number
}
