/** How a table writes the numbers of some columns, so that filled ones are written alike. */
import { type NumberForm, numberFormOf, type Table, textOfCell } from '../table/index.ts'

/**
 * The form of the numbers in some columns of a table, by its first rows. Numbers with units are read
 * as SQL reads them, and written with the decimal separator of their own texts.
 * @param isComputed whether the values are SQL of the one column
 * @param typical size of values, where the columns have none
 */
export async function formOfNumbers(
  table: Table,
  columns: readonly number[],
  isComputed: boolean,
  typical?: number,
): Promise<NumberForm> {
  const sample = await table.sample()
  const texts = columns.flatMap((column) => {
    const cells = sample.columns[column]
    if (cells === undefined) return []
    return Array.from({ length: sample.rowCount }, (_, row) => textOfCell(cells, row))
  })
  const { thousands, form } = table
  if (!isComputed) return numberFormOf(texts, { decimal: table.decimal ?? form?.decimal, thousands }, typical)
  const numbers = texts.map((text) => /\d[\d.,]*/.exec(text ?? '')?.[0] ?? null)
  const isComma = numbers.some((text) => text !== null && /,\d{1,2}$/.test(text))
  const decimal = isComma ? ',' : '.'
  const plain = numbers.map((text) => text?.replaceAll(isComma ? '.' : ',', '') ?? null)
  return { ...numberFormOf(plain, { decimal }), ...(form?.delimiter === ',' && { decimal: '.' }) }
}
