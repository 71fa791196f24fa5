/** How the text of a table is written: what separates the fields, and whether the first line names them. */
export interface CsvDialect {
  delimiter: string
  header: boolean
}

const DELIMITERS = ['::', '\t', ',', ';', '|']

/** By the first line alone. A line with a number or an empty field in it names nothing. */
export function sniffDialect(start: string): CsvDialect {
  const text = start.replace(/^\uFEFF/, '')
  const numbers = DELIMITERS.map((delimiter) => firstFields(text, delimiter).length)
  const most = Math.max(...numbers)
  const delimiter = most > 1 ? DELIMITERS[numbers.indexOf(most)] : ','
  const header = !firstFields(text, delimiter).some((field) => field === '' || Number.isFinite(Number(field)))
  return { delimiter, header }
}

/** The fields of the first line; quotes may hold delimiters and newlines. */
export function firstFields(text: string, delimiter: string): string[] {
  const fields: string[] = []
  let at = 0
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(text.slice(at))
    const end = quoted ? at + quoted[0].length : nearest(text, at, delimiter)
    fields.push(quoted ? quoted[1].replaceAll('""', '"') : text.slice(at, end))
    if (!text.startsWith(delimiter, end)) return fields
    at = end + delimiter.length
  }
}

function nearest(text: string, at: number, delimiter: string): number {
  const ends = [delimiter, '\n', '\r'].map((end) => text.indexOf(end, at)).filter((end) => end >= 0)
  return Math.min(text.length, ...ends)
}

/** The names of the columns, as DuckDB gives them where there are none. */
export function columnNames(text: string, { delimiter, header }: CsvDialect): string[] {
  const fields = firstFields(text.replace(/^\uFEFF/, ''), delimiter)
  if (header) return fields
  const digits = String(fields.length - 1).length
  return fields.map((_, column) => `column${String(column).padStart(digits, '0')}`)
}
