/** Columns of another table that describe the rows of a mode, by the column that holds their labels. */
import { InputError } from '../../base/inputError.ts'
import { columnList, findColumn, textOfCell } from '../table/index.ts'
import { withTable } from './tables.ts'

/**
 * Reads columns of a table as text, by the labels of its key column. Of rows with the same label, the last
 * counts.
 * @param keys names for the key column: the first that the table has, else its first column that is not in
 * `names`
 * @param names the columns to read
 */
export async function readBeside(
  path: string,
  keys: readonly string[],
  names: readonly string[],
): Promise<Map<string, (string | null)[]>> {
  return withTable([path], { typed: [], verbatim: true }, async (table) => {
    const { columns } = table
    const columnsAsked = names.map((name) => {
      const column = findColumn(columns, name)
      if (column >= 0) return column
      throw new InputError(
        'table',
        `${table.name}: there is no column "${name}"; the columns are ${columnList(columns)}.`,
      )
    })
    const named = keys.map((key) => findColumn(columns, key)).find((column) => column >= 0)
    const keyColumn = named ?? columns.findIndex((_, column) => !columnsAsked.includes(column))
    if (keyColumn < 0)
      throw new InputError(
        'table',
        `${table.name}: there is no column beside "${names[0]}" that names its rows.`,
      )
    const found = new Map<string, (string | null)[]>()
    const wanted = [keyColumn, ...columnsAsked].map((column) => ({ column, asText: true }))
    for await (const { rowCount, columns: cells } of table.read(wanted)) {
      for (let row = 0; row < rowCount; row++) {
        const [label, ...texts] = cells.map((column) => textOfCell(column, row))
        if (label !== null) found.set(label, texts)
      }
    }
    return found
  })
}

/**
 * Reads one column of a table by the labels of its key column, as `readBeside` finds it; empty cells are left
 * out.
 */
export async function readNames(
  path: string,
  keys: readonly string[],
  name: string,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const [key, [text]] of await readBeside(path, keys, [name])) if (text !== null) names.set(key, text)
  return names
}
