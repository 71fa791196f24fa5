/** Names of rows for people, such as the titles of films, from a table beside the data. */
import { InputError } from 'lacuna'
import type { TensorModel } from 'lacuna/internal'
import { textTable } from 'lacuna/tables'

/** At least this fraction of a mode's labels must occur in a column of the table. */
const LEAST_MATCH = 0.5
/** Names of columns that hold names. */
const NAME = /^(name|title|label|description|text|station)s?$/i

/** The names of the rows of a mode, by label. */
export interface ModeNames {
  mode: number
  names: ReadonlyMap<string, string>
}

/** The texts that people see in place of labels, and the rows that they stand for. */
export class RowNames {
  readonly #model: TensorModel
  readonly #names: ReadonlyMap<number, ReadonlyMap<string, string>>
  /** Per mode, rows by their names; made at the first use. */
  readonly #rows = new Map<number, Map<string, number>>()

  /** @param names per mode that has names, the names by label */
  constructor(model: TensorModel, names: ReadonlyMap<number, ReadonlyMap<string, string>> = new Map()) {
    this.#model = model
    this.#names = names
  }

  /** The name of a row, or else its label. */
  text(mode: number, row: number): string {
    const label = this.#model.label(mode, row)
    return this.#names.get(mode)?.get(label) ?? label
  }

  /** The row with a name or a label; throws if there is none. */
  row(mode: number, text: string): number {
    const names = this.#names.get(mode)
    const found = names && this.#rowsByName(mode, names).get(text)
    return found ?? this.#model.lookup.row(mode, text)
  }

  /** Names or labels that begin with or contain a text, ignoring case; at most `most`. */
  suggest(mode: number, text: string, most = 30): string[] {
    const names = this.#names.get(mode)
    if (!names) return this.#model.suggest(mode, text, most)
    const wanted = text.toLowerCase()
    const begin: string[] = []
    const contain: string[] = []
    for (const name of this.#rowsByName(mode, names).keys()) {
      const at = name.toLowerCase().indexOf(wanted)
      if (at === 0) begin.push(name)
      else if (at > 0 && contain.length < most) contain.push(name)
      if (begin.length >= most) break
    }
    return [...begin, ...contain].slice(0, most)
  }

  /** Rows by name, those with most entries first; of rows with the same name the fullest. */
  #rowsByName(mode: number, names: ReadonlyMap<string, string>): Map<string, number> {
    const cached = this.#rows.get(mode)
    if (cached) return cached
    const model = this.#model
    const counts = model.observed?.counts[mode]
    const order = Array.from({ length: model.dims[mode] }, (_, row) => row)
    if (counts) order.sort((a, b) => counts[b] - counts[a] || a - b)
    const rows = new Map<string, number>()
    for (const row of order) {
      const label = model.label(mode, row)
      const name = names.get(label) ?? label
      if (!rows.has(name)) rows.set(name, row)
    }
    this.#rows.set(mode, rows)
    return rows
  }
}

/**
 * Reads names from a table: finds the mode and the column whose texts are its labels, and the column that has
 * the names. Throws if the table has none.
 */
export async function readNames(model: TensorModel, file: File): Promise<ModeNames> {
  const columns = await readColumns(file)
  let best: { mode: number; key: number; match: number } | undefined
  for (const [mode, labels] of (model.labels ?? []).entries())
    for (const [key, { texts }] of columns.entries()) {
      if (!labels || labels.length === 0) continue
      const known = new Set(texts)
      const match = labels.filter((label) => known.has(label)).length / labels.length
      if (match >= LEAST_MATCH && match > (best?.match ?? 0)) best = { mode, key, match }
    }
  if (!best)
    throw new InputError(
      'table',
      `${file.name}: no column has the labels of a mode, so that it names no rows.`,
    )
  const { mode, key } = best
  const others = columns.filter((_, column) => column !== key)
  const named =
    others.find(({ name }) => NAME.test(name)) ??
    others.find(({ texts }) => texts.some((text) => /\p{L}/u.test(text)))
  if (!named)
    throw new InputError('table', `${file.name}: there is no column of names beside ${columns[key].name}.`)
  return { mode, names: pairNames(columns[key].texts, named.texts) }
}

/** Pairs labels and names; a name that several rows have gets its label added. */
function pairNames(labels: readonly string[], names: readonly string[]): Map<string, string> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(
    labels.flatMap((label, i) =>
      names[i] === '' ? [] : [[label, counts.get(names[i])! > 1 ? `${names[i]} (${label})` : names[i]]],
    ),
  )
}

/** The texts of all columns of a .csv or .tsv file. */
async function readColumns(file: File): Promise<{ name: string; texts: string[] }[]> {
  const open = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(await file.arrayBuffer())
  }
  const table = await textTable([{ name: file.name, open }], { name: file.name })
  const columns = table.columns.map(({ name }) => ({ name, texts: [] as string[] }))
  const decoder = new TextDecoder()
  for await (const batch of table.read(columns.map((_, column) => ({ column, asText: true }))))
    batch.columns.forEach((cells, column) => {
      if (!('bytes' in cells)) return
      for (let row = 0; row < batch.rowCount; row++)
        columns[column].texts.push(
          cells.ends[row] < cells.starts[row]
            ? ''
            : decoder.decode(cells.bytes.slice(cells.starts[row], cells.ends[row])),
        )
    })
  return columns
}
