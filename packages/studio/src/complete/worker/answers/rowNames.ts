/** Names of rows for people, such as the titles of films, from a table beside the data. */
import type { TensorModel } from 'lacuna/internal'
import type { SideTable } from '../../sideTables.ts'
import { modeTitle } from '../summary.ts'

/** Names of rows by the number of the mode and label. */
export type NamesByMode = ReadonlyMap<number, ReadonlyMap<string, string>>

/** The names of the rows of a model's modes, from the tables beside the data. */
export function namesOf(
  model: Pick<TensorModel, 'dims' | 'modes'>,
  tables: readonly SideTable[],
): NamesByMode {
  return new Map(
    model.dims.flatMap((_, mode): [number, ReadonlyMap<string, string>][] => {
      const table = tables.find(({ kind, mode: name }) => kind === 'names' && name === modeTitle(model, mode))
      return table?.kind === 'names' ? [[mode, new Map(table.names)]] : []
    }),
  )
}

/** The texts that people see in place of labels, and the rows that they stand for. */
export class RowNames {
  readonly #model: TensorModel
  readonly #names: NamesByMode
  /** Per mode, rows by their names; made at the first use. */
  readonly #rows = new Map<number, Map<string, number>>()

  /** @param names per mode that has names, the names by label */
  constructor(model: TensorModel, names: NamesByMode = new Map()) {
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
