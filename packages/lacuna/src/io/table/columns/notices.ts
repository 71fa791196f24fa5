/** Notices about how options are understood: names in another case, formats that no mode uses, times in UTC. */
import { option, type Remark, remark, sentence } from '../../../base/inputError.ts'
import { binnings, hasZone } from '../../../labels/index.ts'
import { cellText, type Table } from '../source/rows.ts'
import { type FoundMode, findColumn, parseMode } from './modes.ts'

/** Options as the user gave them. */
interface GivenOptions {
  modes?: readonly string[]
  value?: string
  dates?: readonly string[]
}

/** Whether a mode bins times. */
export const isBinnedTime = ({ binning }: FoundMode): boolean =>
  binning !== undefined && binnings[binning].of === 'time'

/** The notices on how a table is read: names in another case, formats of times that no mode uses, and time zones. */
export async function readingNotices(
  table: Table,
  modes: readonly FoundMode[],
  given: GivenOptions,
): Promise<Remark[]> {
  const clocks = await zoneRemark(table, modes)
  return [...otherCases(table, given), ...unusedDates(table, modes, given), ...(clocks ? [clocks] : [])]
}

/** Notices for names of columns that the user typed in another case: userID for userId. */
function otherCases({ columns, name: where }: Table, { modes = [], value }: GivenOptions): Remark[] {
  const typed = [...modes, ...(value === undefined ? [] : [value])].map((text) => parseMode(text).body)
  return typed.flatMap((name) => {
    const column = columns[findColumn(columns, name)]?.name ?? name
    return column === name
      ? []
      : [remark([`${where}: there is no column "${name}"; ${column} is taken`], true)]
  })
}

/** The notice that no mode uses the formats of times; none if one does, or there are no formats. */
function unusedDates({ name: where }: Table, modes: readonly FoundMode[], { dates }: GivenOptions): Remark[] {
  if (!dates || modes.some(isBinnedTime)) return []
  return [
    remark(
      sentence`${where}: ${option('dates')} is not used, since a column that is a mode as it is keeps its text; write ${option('modes', 'day(x)')} for the days of x, say.`,
      true,
    ),
  ]
}

/**
 * The notice for modes that are binned times with offsets other than UTC's, where no time zone is given: their
 * hours and days are not those that the table shows. Undefined if there are no such modes in the first rows.
 */
async function zoneRemark(table: Table, modes: readonly FoundMode[]): Promise<Remark | undefined> {
  const binned = modes.filter(
    (mode) =>
      isBinnedTime(mode) &&
      mode.timezone === undefined &&
      (table.columns[mode.column].type ?? 'VARCHAR') === 'VARCHAR',
  )
  if (binned.length === 0) return undefined
  const { columns, rowCount } = await table.sample()
  for (const { column } of binned) {
    const cells = columns[column]
    if (cells === undefined || cells instanceof Float64Array) continue
    for (let row = 0; row < rowCount; row++) {
      const text = cellText(cells, row)
      if (text === null || !hasZone(text) || IN_UTC.test(text)) continue
      const names = binned.filter((mode) => mode.column === column).map(({ name }) => name)
      return remark(
        sentence`${table.name}: the times in ${table.columns[column].name} have offsets, as in ${text.trim()}, but ${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} by the clocks of UTC; for those of a place give ${option('timezone', 'Europe/Berlin')}, say.`,
        true,
      )
    }
  }
  return undefined
}

/** A time whose zone is UTC. */
const IN_UTC = /(Z|[+-]00(:?00)?)\s*$/
