/** Names of rows for people, such as the titles of films, from a table beside the data. */
import { InputError } from 'lacuna'
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

/** How alike two texts must be, by their pairs of letters, for one to be proposed for the other. */
const LEAST_LIKENESS = 0.4
/** Texts of fewer pairs of letters count as of so many: short names would be like any text. */
const LEAST_PAIRS = 5
/** The number of names that are proposed for one that is not known. */
const PROPOSED = 3

/** The texts that people see in place of labels, and the rows that they stand for. */
export class RowNames {
  readonly #model: TensorModel
  readonly #names: NamesByMode
  /** Per mode, rows by their names; made at the first use. */
  readonly #rows = new Map<number, Map<string, number>>()
  /** Per mode, names by `foldCase`, undefined where several are equal by it; made at the first use. */
  readonly #folded = new Map<number, Map<string, string | undefined>>()

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
    const found = this.find(mode, text)
    if (found !== undefined) return found
    if (!this.#names.has(mode)) return this.#model.lookup.row(mode, text)
    throw new InputError('index', this.describeUnknown(mode, text))
  }

  /** The row with a name or a label; in another case only if one row alone has it. Undefined if there is none. */
  find(mode: number, text: string): number | undefined {
    const names = this.#names.get(mode)
    const exact = names && this.#rowsByName(mode, names).get(text)
    return exact ?? this.#model.lookup.find(mode, text) ?? this.#findInAnyCase(mode, text)
  }

  /** Names or labels that are like a text, the most similar first. */
  nearest(mode: number, text: string): string[] {
    const wanted = letterPairs(text)
    return Array.from(this.#texts(mode), (name) => ({
      name,
      likeness: likenessOf(wanted, letterPairs(name)),
    }))
      .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
      .sort((a, b) => b.likeness - a.likeness)
      .slice(0, PROPOSED)
      .map(({ name }) => name)
  }

  /** A sentence that no row has this name. */
  describeUnknown(mode: number, text: string): string {
    return `There is no ${modeTitle(this.#model, mode)} “${text}” in the data.`
  }

  /** The row whose name or label is a text in another case or with other spaces around, if it is the only one. */
  #findInAnyCase(mode: number, text: string): number | undefined {
    if (!this.#model.labels?.[mode] && !this.#names.has(mode)) return undefined
    let folded = this.#folded.get(mode)
    if (!folded) {
      folded = new Map()
      for (const name of this.#texts(mode)) {
        const key = foldCase(name)
        folded.set(key, folded.has(key) ? undefined : name)
      }
      this.#folded.set(mode, folded)
    }
    const name = folded.get(foldCase(text))
    if (name === undefined) return undefined
    const names = this.#names.get(mode)
    return (names && this.#rowsByName(mode, names).get(name)) ?? this.#model.lookup.find(mode, name)
  }

  /** The names of the rows, or their labels; none where rows are numbers. */
  #texts(mode: number): Iterable<string> {
    const names = this.#names.get(mode)
    return names ? this.#rowsByName(mode, names).keys() : (this.#model.labels?.[mode] ?? [])
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

/** A text by which names are compared without regard to case and surrounding spaces. */
const foldCase = (text: string): string => text.trim().toLowerCase()

/** The pairs of letters of a text, a space on either side among them. */
function letterPairs(text: string): Set<string> {
  const letters = ` ${foldCase(text)} `
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)))
}

/**
 * The fraction of the pairs of letters of the shorter text that the other one has, so that a part of a name is like it
 * (the overlap coefficient).
 */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const pair of a) if (b.has(pair)) common++
  return common / Math.max(LEAST_PAIRS, Math.min(a.size, b.size))
}
