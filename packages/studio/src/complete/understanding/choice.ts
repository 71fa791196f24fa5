/**
 * How a table becomes a tensor, as plain data that the page changes and the worker applies: the roles of the
 * columns, how texts are written, and what is done with rows that do not fit.
 */
import {
  type ColumnSummary,
  isNumeric,
  isTime,
  type MergePolicy,
  type NegativePolicy,
  type Thousands,
  timeBins,
} from 'lacuna/internal'

/** Two columns of coordinates that are one mode: places on a grid, with a number of decimals of a degree. */
export interface PlaceChoice {
  latitude: string
  longitude: string
  /** 2 decimals are cells of about 1 km. */
  decimals: number
}

/** The name of the mode that a latitude and a longitude become. */
export const PLACE = 'place'
/** The name of the mode that the numbers of the rows are. */
export const ROW = 'row'

/** How the texts of a table are written: what the roles of its columns are guessed by. */
export type TableFormat = Pick<TableChoice, 'dates' | 'decimal' | 'thousands' | 'removeUnits'>

/** The user's choice of how a table becomes a tensor. */
export interface TableChoice {
  /** The columns, or binnings of columns such as week(day), that are the modes; the melted mode is not among them. */
  modes: string[]
  /** The column of values; without one, rows are counted. */
  value?: string
  /** The column of the entries' weights. */
  weight?: string
  /** How rows of the same coordinates are merged. */
  merge: MergePolicy
  /** The encoding of text that is not UTF-8, once the user has confirmed it. */
  encoding?: 'windows-1252'
  /** Formats of dates that are not ISO 8601. */
  dates?: string[]
  /** The decimal sign, if it is not to be guessed. */
  decimal?: ',' | '.'
  /** Separator of thousands in numbers. */
  thousands?: Thousands
  /** Whether the value is read without its unit: 483,57 € as 483.57. */
  removeUnits?: boolean
  /** The name of the mode that the columns of a wide table become: all that have no other role. */
  melt?: string
  /** Columns of a wide table that are neither a mode nor melted. */
  ignored?: string[]
  /** Whether the rows are numbered, from 1; `modes` names their numbers as ROW. */
  numberRows?: boolean
  /** A mode that is made of a latitude and a longitude; `modes` names it as PLACE. */
  place?: PlaceChoice
  /** Whether rows that cannot be read are left out; else they are an open question. */
  skipBadRows?: boolean
  /** Roles that answers to questions have set, by column: they hold whatever else is guessed later. */
  settled?: Record<string, RoleSetting>
  /** Whether the user has changed a role, so that answers no longer change the guessed ones. */
  edited?: boolean
}

/** A role of a column, which an answer sets. */
export interface RoleSetting {
  role: Role
  /** The binnings of a mode; the usual one if undefined. */
  binnings?: string[]
}

/** Changes of a choice, and of the policy for negative values, which is not part of it. */
export type ChoiceChanges = Partial<TableChoice> & { negative?: NegativePolicy }

/** The role of a column. */
export type Role = 'mode' | 'value' | 'weight' | 'melted' | 'ignored'

/** The binnings of a column in the modes: 'none' for the column as it is, else as they are written, as in `round(x, 2)`. */
export function binningsOf(choice: TableChoice, column: string): string[] {
  return choice.modes.flatMap((mode) => {
    if (mode === column) return ['none']
    const [, binning, argument] = /^(\w+)\((?:[\s\S]*?)(?:, (-?\d+))?\)$/.exec(mode) ?? []
    if (binning === undefined || mode !== modeText(column, binning, argument)) return []
    return [argument === undefined ? binning : `${binning} ${argument}`]
  })
}

/** The text of a mode that is a binning of a column. */
const modeText = (column: string, binning: string, argument?: string): string =>
  argument === undefined ? `${binning}(${column})` : `${binning}(${column}, ${argument})`

/** The role that a choice gives to a column. */
export function roleOf(choice: TableChoice, column: string): Role {
  if (choice.value === column && choice.melt === undefined) return 'value'
  if (choice.weight === column) return 'weight'
  if (isPlaceColumn(choice, column) || binningsOf(choice, column).length > 0) return 'mode'
  return choice.melt !== undefined && !choice.ignored?.includes(column) ? 'melted' : 'ignored'
}

/** Whether a column is the latitude or the longitude of the mode of places. */
export const isPlaceColumn = ({ place }: TableChoice, column: string): boolean =>
  place?.latitude === column || place?.longitude === column

/** Sets the role of a column; the modes stay in the order of the columns, and there is one value and one weight. */
export function setRole(
  choice: TableChoice,
  columns: readonly ColumnSummary[],
  column: string,
  role: Role,
): TableChoice {
  const next = withoutColumn(choice, column)
  if (role === 'mode') return insertMode(next, columns, column, [defaultBinning(columns, column)])
  if (role === 'value') next.value = column
  if (role === 'weight') next.weight = column
  if (role === 'ignored' && next.melt !== undefined) next.ignored = [...(next.ignored ?? []), column]
  return withMerge(next)
}

/** Whether columns have these roles. */
export const hasRoles = (choice: TableChoice, roles: Readonly<Record<string, RoleSetting>>): boolean =>
  Object.entries(roles).every(
    ([column, { role, binnings }]) =>
      roleOf(choice, column) === role &&
      (!binnings || JSON.stringify(binningsOf(choice, column)) === JSON.stringify(binnings)),
  )

/** Sets the roles of columns as an answer does, which is no change by hand. */
export function settleRoles(
  choice: TableChoice,
  columns: readonly ColumnSummary[],
  roles: Readonly<Record<string, RoleSetting>>,
): TableChoice {
  const next = Object.entries(roles).reduce((changed, [column, { role, binnings }]) => {
    if (hasRoles(changed, { [column]: { role, binnings } })) return changed
    return role === 'mode' && binnings
      ? setBinnings(changed, columns, column, binnings)
      : setRole(changed, columns, column, role)
  }, choice)
  return { ...next, edited: choice.edited }
}

/** Takes the binnings of a column as modes, none of them twice; at least one. */
export function setBinnings(
  choice: TableChoice,
  columns: readonly ColumnSummary[],
  column: string,
  chosen: readonly string[],
): TableChoice {
  if (chosen.length === 0) return choice
  return insertMode(withoutColumn(choice, column), columns, column, chosen)
}

/** A choice in which a column has no role. */
function withoutColumn(choice: TableChoice, column: string): TableChoice {
  const own = new Set(
    choice.modes.filter((mode) => binningsOf({ ...choice, modes: [mode] }, column).length > 0),
  )
  const isPlace = isPlaceColumn(choice, column)
  return {
    ...choice,
    modes: choice.modes.filter((mode) => !own.has(mode) && !(isPlace && mode === PLACE)),
    value: choice.value === column ? undefined : choice.value,
    weight: choice.weight === column ? undefined : choice.weight,
    ignored: choice.ignored?.filter((name) => name !== column),
    place: isPlace ? undefined : choice.place,
    edited: true,
  }
}

/** Adds the modes of a column where they belong in the order of the columns. */
function insertMode(
  choice: TableChoice,
  columns: readonly ColumnSummary[],
  column: string,
  chosen: readonly string[],
): TableChoice {
  const order = new Map(columns.map(({ name }, c) => [name, c]))
  const columnOf = (mode: string): number =>
    mode === PLACE && choice.place
      ? (order.get(choice.place.latitude) ?? 0)
      : (order.get(mode) ?? order.get(/^\w+\(([\s\S]*?)(?:, -?\d+)?\)$/.exec(mode)?.[1] ?? '') ?? 0)
  const own = chosen.map((binning) => {
    const [name, argument] = binning.split(' ')
    return name === 'none' ? column : modeText(column, name, argument)
  })
  const at = choice.modes.findIndex((mode) => columnOf(mode) > order.get(column)!)
  const modes = [...choice.modes]
  modes.splice(at < 0 ? modes.length : at, 0, ...own)
  return withMerge({ ...choice, modes })
}

/** The binning that a column gets when it becomes a mode: days of times, rounding of fractions, else none. */
function defaultBinning(columns: readonly ColumnSummary[], column: string): string {
  const summary = columns.find(({ name }) => name === column)
  if (!summary) return 'none'
  if (isTime(summary)) return 'day'
  return summary.type === 'DOUBLE' || summary.type.startsWith('DECIMAL') ? 'round 2' : 'none'
}

/** The binnings that a column can have, in the order in which they are offered. */
export function possibleBinnings(column: ColumnSummary): string[] {
  if (isTime(column)) return [...timeBins, 'none']
  if (!isNumeric(column.type)) return ['none']
  return ['none', ...[3, 2, 1, 0, -1, -2].map((decimals) => `round ${decimals}`)]
}

/** A choice whose merge policy fits: rows without a value are counted, others are not. */
function withMerge(choice: TableChoice): TableChoice {
  const isCounted = choice.value === undefined && choice.melt === undefined
  if (isCounted) return { ...choice, merge: 'count' }
  return choice.merge === 'count' ? { ...choice, merge: 'error' } : choice
}

/** Whether rows are counted, as no column has values. */
export const isCounting = (choice: TableChoice | undefined): boolean =>
  choice !== undefined && choice.value === undefined && choice.melt === undefined
