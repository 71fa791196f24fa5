/**
 * Columns that depend on another one: the names of things that have ids, and attributes of things, as the city of a shop.
 * As modes they would make the tensor larger and sparser, and tell nothing new.
 */
import { type Batch, type ColumnSummary, cellText, isMissingMark, isNumeric } from 'lacuna/internal'
import type { Question, RoleSetting } from '../../../understanding/index.ts'
import { MOST_ROWS } from '../sampleTexts.ts'

/** A column whose label follows from that of another column. */
export interface Dependence {
  column: string
  on: string
  /** Whether the other label follows from this one, too. */
  isMutual: boolean
}

/** Fewest rows per label of a column by which others are found to depend on it. */
const ROWS_PER_LABEL = 4
/** The largest probability, as a logarithm, that the labels of independent columns look as if one depended on the other. */
const BY_CHANCE = Math.log(1e-9)
/** The most columns that are compared. */
const MOST_COMPARED = 40
/** Names of parts of times, whose numbers have an order that their names lack. */
const PART_OF_TIME = /year|quarter|month|week|day|hour|minute/i
/** Whether a column is called like an identifier: store_id, StoreNo, code; not grid. */
const isId = ({ name }: ColumnSummary): boolean =>
  /(^|[_\s.-])(id|key|code|no|nr|number)$/i.test(name) || /[a-z](ID|Id|Key|Code|No|Nr)$/.test(name)

/** The labels of a column of the sample, as numbers; -1 where the cell is empty. */
interface Codes {
  column: ColumnSummary
  codes: Int32Array
  size: number
}

/**
 * Finds the columns that depend on another one. Of columns that depend on each other, one is kept, which names the
 * labels best.
 * @param compared the columns that may depend on each other
 * @param columns all columns, in the order of the cells of the sample
 */
export function findDependences(
  sample: Batch,
  columns: readonly ColumnSummary[],
  compared: readonly ColumnSummary[],
): Dependence[] {
  const all = compared
    .slice(0, MOST_COMPARED)
    .map((column) => encodeColumn(sample, columns.indexOf(column), column))
  const isWhole = sample.rowCount < MOST_ROWS
  // In this order, the column that is kept comes before those that depend on it.
  const determines = (a: Codes, b: Codes): boolean => isDetermined(b, a)
  const order = [...all].sort((a, b) => rank(a.column, isWhole) - rank(b.column, isWhole))
  const kept = order.filter(
    (b, at) => !order.some((a, other) => a !== b && determines(a, b) && (other < at || !determines(b, a))),
  )
  return all.flatMap((b): Dependence[] => {
    if (kept.includes(b)) return []
    const on = kept.find((a) => determines(a, b))
    return on ? [{ column: b.column.name, on: on.column.name, isMutual: determines(b, on) }] : []
  })
}

/**
 * The rank of a column among those that depend on each other: numbers of months, names, other numbers, ids. Ids come first
 * where there are more rows than were seen: two things may have the same name there.
 */
function rank(column: ColumnSummary, isWhole: boolean): number {
  const { name, type } = column
  if (isNumeric(type) && PART_OF_TIME.test(name)) return 0
  if (isId(column)) return isWhole ? 3 : 0
  return isNumeric(type) ? 2 : 1
}

/** Numbers the labels of a column of the sample. */
function encodeColumn(sample: Batch, position: number, column: ColumnSummary): Codes {
  const cells = sample.columns[position]
  const numbers = new Map<string | number, number>()
  const codes = Int32Array.from({ length: sample.rowCount }, (_, row) => {
    const label = cells instanceof Float64Array ? cells[row] : (cellText(cells, row) ?? '')
    if (label === '' || Number.isNaN(label) || isMissingMark(String(label))) return -1
    const known = numbers.get(label)
    if (known !== undefined) return known
    numbers.set(label, numbers.size)
    return numbers.size - 1
  })
  return { column, codes, size: numbers.size }
}

/** Whether the label of one column follows from that of another in all rows, and hardly by chance. */
function isDetermined(own: Codes, by: Codes): boolean {
  const labelBy = new Int32Array(by.size).fill(-1)
  const counts = new Float64Array(own.size)
  let rows = 0
  let labels = 0
  for (let row = 0; row < own.codes.length; row++) {
    const [label, base] = [own.codes[row], by.codes[row]]
    if (label < 0 || base < 0) continue
    if (labelBy[base] < 0) {
      labelBy[base] = label
      labels++
    } else if (labelBy[base] !== label) return false
    counts[label]++
    rows++
  }
  if (rows < ROWS_PER_LABEL * labels) return false
  // The probability that two rows have the same label, if labels are drawn at random.
  const same = counts.reduce((sum, count) => sum + (count / rows) ** 2, 0)
  return (rows - labels) * Math.log(same) < BY_CHANCE
}

/** The question whether a column that depends on another one is left out, or which of two names the labels. */
export function dependenceQuestion({ column, on, isMutual }: Dependence): Question {
  const mode: RoleSetting = { role: 'mode', binnings: ['none'] }
  const ignored: RoleSetting = { role: 'ignored' }
  return {
    ...{ kind: isMutual ? 'names' : 'attribute', id: `dependence ${column}`, isNeeded: false, column, on },
    answers: isMutual
      ? [
          { key: 'on', changes: {}, roles: { [on]: mode, [column]: ignored } },
          { key: 'column', changes: {}, roles: { [column]: mode, [on]: ignored } },
          { key: 'both', changes: {}, roles: { [column]: mode, [on]: mode } },
        ]
      : [
          { key: 'ignore', changes: {}, roles: { [column]: ignored } },
          { key: 'mode', changes: {}, roles: { [column]: mode } },
        ],
  }
}
