/** Writes a table as CSV, in pieces that together are one Blob. */
import type { ExportedTable } from '../../answers.ts'

/** Rows that are joined to one string of the Blob. */
const ROWS_PER_PIECE = 10_000

/** A .csv file to which rows are added. */
export class CsvWriter {
  readonly #pieces: string[] = []
  #piece: string
  #rows = 0

  /** @param header the names of the columns */
  constructor(header: readonly string[]) {
    this.#piece = `${header.map(quoteField).join()}\n`
  }

  /** Adds a row. */
  row(fields: readonly string[]): void {
    this.#piece += `${fields.map(quoteField).join()}\n`
    if (++this.#rows % ROWS_PER_PIECE !== 0) return
    this.#pieces.push(this.#piece)
    this.#piece = ''
  }

  /** Ends the table. @param remark a sentence about what it does not have */
  end(remark?: string): ExportedTable {
    const file = new Blob([...this.#pieces, this.#piece], { type: 'text/csv' })
    return { file, rows: this.#rows, ...(remark !== undefined && { remark }) }
  }
}

/** Quotes a field of CSV if necessary. */
const quoteField = (text: string): string =>
  /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
