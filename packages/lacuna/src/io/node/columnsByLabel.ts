/**
 * Reads columns of a second table that describe the rows of a mode, by the column that holds their labels.
 */
import { InputError } from '../../base/inputError.ts'
import { columnList, findColumn, textOfCell } from '../table/index.ts'
import { withTable } from './tables.ts'

/**
 * Reads columns of a table as text. Throws if the table lacks one of them, or a key column.
 * @param keys names for the key column: the first that the table has, else its first column that is not in
 * `names`
 * @param names the columns to read
 * @returns per label of the key column, the texts of `names`, null where empty; of rows with the same label,
 * the last counts
 */
export async function readColumnsByLabel(
  path: string,
  keys: readonly string[],
  names: readonly string[],
): Promise<Map<string, (string | null)[]>> {
  return withTable([path], { typed: [], verbatim: true }, async (table) => {
    const { columns } = table
    const readColumns = names.map((name) => {
      const column = findColumn(columns, name)
      if (column >= 0) return column
      throw new InputError(
        'table',
        `${table.name}: there is no column "${name}"; the columns are ${columnList(columns)}.`,
      )
    })
    const namedColumn = keys.map((key) => findColumn(columns, key)).find((column) => column >= 0)
    const keyColumn = namedColumn ?? columns.findIndex((_, column) => !readColumns.includes(column))
    if (keyColumn < 0)
      throw new InputError(
        'table',
        `${table.name}: there is no column beside "${names[0]}" that names its rows.`,
      )
    const textsByLabel = new Map<string, (string | null)[]>()
    const wanted = [keyColumn, ...readColumns].map((column) => ({ column, asText: true }))
    for await (const { rowCount, columns: cells } of table.read(wanted)) {
      for (let row = 0; row < rowCount; row++) {
        const [label, ...texts] = cells.map((column) => textOfCell(column, row))
        if (label !== null) textsByLabel.set(label, texts)
      }
    }
    return textsByLabel
  })
}

/**
 * Reads one column of a table as text, by the labels of its key column; rows with an empty cell are left out.
 * @param keys names for the key column: the first that the table has, else its first column other than `name`
 * @param name the column to read
 */
export async function readColumnByLabel(
  path: string,
  keys: readonly string[],
  name: string,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const [label, [text]] of await readColumnsByLabel(path, keys, [name]))
    if (text !== null) texts.set(label, text)
  return texts
}
