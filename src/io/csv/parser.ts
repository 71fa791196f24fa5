import { InputError } from '../../inputError.ts'

/**
 * RFC 4180, piece by piece: fields in quotes may hold delimiters, newlines and doubled quotes. Blank lines are passed
 * over; a line of more or fewer fields than the first is an error.
 */
export class CsvParser {
  readonly #name: string
  readonly #delimiter: string
  readonly #onRow: (fields: string[], line: number) => void
  #rest = ''
  #line = 1
  #width = 0

  constructor(name: string, delimiter: string, onRow: (fields: string[], line: number) => void) {
    this.#name = name
    this.#delimiter = delimiter
    this.#onRow = onRow
  }

  push(text: string): void {
    this.#rest = this.#take(this.#line === 1 && this.#width === 0 ? text.replace(/^\uFEFF/, '') : text)
  }

  finish(): void {
    if (this.#rest === '') return
    const left = this.#take('\n')
    if (left !== '')
      throw new InputError(
        'format',
        `${this.#name}, line ${this.#line}: a quoted field never ends; close its quote.`,
      )
  }

  /** Hands over every whole line; returns the beginning of the next one. */
  #take(more: string): string {
    const text = this.#rest + more
    let at = 0
    for (;;) {
      const end = text.indexOf('\n', at)
      if (end < 0) return text.slice(at)
      const quote = text.indexOf('"', at)
      if (quote < 0 || quote > end) {
        const line = text.slice(at, text.charCodeAt(end - 1) === 13 && end > at ? end - 1 : end)
        if (line !== '') this.#emit(line.split(this.#delimiter))
        this.#line++
        at = end + 1
      } else {
        const row = this.#quotedRow(text, at)
        if (!row) return text.slice(at)
        this.#emit(row.fields)
        this.#line += row.lines
        at = row.end
      }
    }
  }

  /** A line with quotes in it, which may be several; undefined if its end has not come yet. */
  #quotedRow(text: string, start: number): { fields: string[]; end: number; lines: number } | undefined {
    const delimiter = this.#delimiter
    const fields: string[] = []
    let lines = 1
    let at = start
    for (;;) {
      let field: string
      if (text[at] === '"') {
        let close = at + 1
        for (;;) {
          close = text.indexOf('"', close)
          if (close < 0 || close + 1 >= text.length) return undefined
          if (text[close + 1] !== '"') break
          close += 2
        }
        field = text.slice(at + 1, close)
        for (let n = field.indexOf('\n'); n >= 0; n = field.indexOf('\n', n + 1)) lines++
        field = field.replaceAll('""', '"')
        at = close + 1
      } else {
        const newline = text.indexOf('\n', at)
        const next = text.indexOf(delimiter, at)
        if (newline < 0) return undefined
        const end = next >= 0 && next < newline ? next : newline
        field = text.slice(at, end === newline && text[end - 1] === '\r' ? end - 1 : end)
        at = end === newline && text[end - 1] === '\r' ? end - 1 : end
      }
      fields.push(field)
      if (text.startsWith(delimiter, at)) at += delimiter.length
      else if (text[at] === '\n') return { fields, end: at + 1, lines }
      else if (text.startsWith('\r\n', at)) return { fields, end: at + 2, lines }
      else if (at + 1 >= text.length) return undefined
      else
        throw new InputError(
          'format',
          `${this.#name}, line ${this.#line}: there is more after the end of a quoted field; double the quotes within it.`,
        )
    }
  }

  #emit(fields: string[]): void {
    if (this.#width === 0) this.#width = fields.length
    if (fields.length !== this.#width)
      throw new InputError(
        'format',
        `${this.#name}, line ${this.#line}: there ${fields.length === 1 ? 'is 1 field' : `are ${fields.length} fields`}, but the first line has ${this.#width}; mend the line, or put fields with separators in them in quotes.`,
      )
    this.#onRow(fields, this.#line)
  }
}
