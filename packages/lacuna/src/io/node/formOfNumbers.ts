/** How a table writes the numbers of some columns, so that filled ones are written alike. */
import {
  type Batch,
  cellNumbers,
  findDecimalSign,
  type NumberForm,
  numberFormOf,
  type Table,
  textOfCell,
  writeExactly,
} from '../table/index.ts'

/**
 * The form of the numbers in some columns of a table, by its first rows.
 * @param typical size of values, where the columns have none
 */
export async function formOfNumbers(
  table: Table,
  columns: readonly number[],
  typical?: number,
): Promise<NumberForm> {
  const sample = await table.sample()
  const texts = columns.flatMap((column) => textsOf(sample, column))
  const { thousands, form } = table
  return numberFormOf(texts, { decimal: table.decimal ?? form?.decimal, thousands }, typical)
}

/**
 * The form of numbers that SQL computes from a column of texts, such as 0,060 kg: the decimals are those of the numbers,
 * the decimal sign is that of the texts. In a table that has commas between its fields it is a point.
 * @param column the texts
 * @param computed the numbers
 * @param typical size of values, where the column has none
 */
export async function formOfComputed(
  table: Table,
  column: number,
  computed: number,
  typical?: number,
): Promise<NumberForm> {
  const sample = await table.sample()
  const cells = sample.columns[computed]
  if (cells === undefined) return numberFormOf([], {}, typical)
  const numbers = cellNumbers(cells, sample, table).slice(0, sample.rowCount)
  const plain = Array.from(numbers, (x) => (Number.isFinite(x) ? writeExactly(x, {}) : null))
  const isText = !(sample.columns[column] instanceof Float64Array)
  const sign = (): ',' | '.' | undefined =>
    (isText ? findSign(textsOf(sample, column), numbers) : undefined) ?? table.form?.decimal
  const decimal = table.form?.delimiter === ',' ? '.' : sign()
  return { ...numberFormOf(plain, {}, typical), decimal }
}

/** The cells of a column as texts, those of numbers with a point. */
function textsOf({ columns, rowCount }: Batch, column: number): (string | null)[] {
  const cells = columns[column]
  return cells === undefined ? [] : Array.from({ length: rowCount }, (_, row) => textOfCell(cells, row))
}

/**
 * The sign before fractions in texts of which the numbers are known: the one by which a text reads as its number, and by
 * the other sign does not. Where the SQL changes the numbers, it is the sign that the texts show by themselves. Undefined
 * where they show none.
 */
function findSign(texts: readonly (string | null)[], numbers: Float64Array): ',' | '.' | undefined {
  for (const [row, text] of texts.entries()) {
    const digits = /[\d.,]*\d/.exec(text ?? '')?.[0] ?? ''
    const isAsRead = (sign: ',' | '.'): boolean =>
      Number(digits.replaceAll(sign === ',' ? '.' : ',', '').replace(',', '.')) === Math.abs(numbers[row])
    if (isAsRead(',') !== isAsRead('.')) return isAsRead(',') ? ',' : '.'
  }
  const shown = findDecimalSign(texts.filter((text) => text !== null))
  return shown === 'either' ? undefined : shown
}
