/** What another table says of the rows of a mode: some of its columns, by the column that names the rows. */
import { InputError } from '../../base/inputError.ts'
import { cellText, columnList, findColumn } from '../table/index.ts'
import { withTable } from './tables.ts'

/**
 * By each key, the cells beside it as text. The key is the first of these columns that the table has, or else its first one
 * that is not asked for. Of rows with the same key, the last counts.
 */
export async function readBeside(
  path: string,
  keys: readonly string[],
  names: readonly string[],
): Promise<Map<string, (string | null)[]>> {
  return withTable([path], { typed: [], verbatim: true }, async (table) => {
    const { columns } = table
    const asked = names.map((name) => {
      const column = findColumn(columns, name)
      if (column >= 0) return column
      throw new InputError(
        'table',
        `${table.name}: there is no column "${name}"; the columns are ${columnList(columns)}.`,
      )
    })
    const named = keys.map((key) => findColumn(columns, key)).find((column) => column >= 0)
    const keyColumn = named ?? columns.findIndex((_, column) => !asked.includes(column))
    if (keyColumn < 0)
      throw new InputError(
        'table',
        `${table.name}: there is no column beside "${names[0]}" that names its rows.`,
      )
    const found = new Map<string, (string | null)[]>()
    const wanted = [keyColumn, ...asked].map((column) => ({ column, asText: true }))
    for await (const { rowCount, columns: cells } of table.read(wanted)) {
      const [key, ...texts] = cells.map(
        (column) =>
          (row: number): string | null =>
            column instanceof Float64Array ? String(column[row]) : cellText(column, row),
      )
      for (let row = 0; row < rowCount; row++) {
        const label = key(row)
        if (label !== null)
          found.set(
            label,
            texts.map((text) => text(row)),
          )
      }
    }
    return found
  })
}
