/** How a row of a table looks in a text file. */

export interface RowStyle {
  head: string
  /** What comes before each field. */
  before: readonly string[]
  /** What comes between two rows. */
  between: string
  tail: string
  /** Text as a field. */
  quote(text: string): string
}

export type TableText = 'csv' | 'tsv' | 'json' | 'ndjson'

/** The text format that a file's name calls for, or undefined. */
export function tableText(path: string): TableText | undefined {
  const ending = /\.(csv|tsv|json|jsonl|ndjson)(\.gz)?$/i.exec(path)?.[1].toLowerCase()
  return ending === 'jsonl' ? 'ndjson' : (ending as TableText | undefined)
}

export function rowStyle(format: TableText, names: readonly string[]): RowStyle {
  if (format === 'csv' || format === 'tsv') {
    const delimiter = format === 'csv' ? ',' : '\t'
    // All text is in quotes, so that an empty text differs from no text.
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`
    const before = names.map((_, column) => (column === 0 ? '' : delimiter))
    return { head: `${names.map(quote).join(delimiter)}\n`, before, between: '\n', tail: '\n', quote }
  }
  const quote = (text: string) => JSON.stringify(text)
  const keys = names.map((name, column) => `${column === 0 ? '{' : ','}${quote(name)}:`)
  return format === 'json'
    ? { head: '[\n', before: keys, between: '},\n', tail: '}\n]\n', quote }
    : { head: '', before: keys, between: '}\n', tail: '}\n', quote }
}
