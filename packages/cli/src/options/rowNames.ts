/** Names of rows from other tables, and rows by label or name, as they are typed on the command line. */
import { InvalidArgumentError } from 'commander'
import { InputError } from 'lacuna'
import type { Predictor } from 'lacuna/answers'
import { LabelLookup, labelOf, modeName, readColumnByLabel } from 'lacuna/internal'
import type { Progress } from '../print/terminal.ts'

/** A typed MODE=TEXT. */
export interface Assignment {
  /** Name or number of the mode, as typed. */
  mode: string
  /** Text after the equals sign, if there is one. */
  text?: string
}

/** Parses userId=42, or userId alone, and returns a copy of `before` with it appended. */
export function assignment(text: string, before: readonly Assignment[] = []): Assignment[] {
  // A mode's name may be a binning, as in bins(x, 5); the sign comes after it.
  const [, mode, value] = /^((?:[^=()]|\([^()]*\))+)(?:=([\s\S]*))?$/.exec(text) ?? []
  if (!mode?.trim()) throw new InvalidArgumentError('It must be a mode, or MODE=LABEL.')
  return [...before, { mode: mode.trim(), text: value }]
}

/** Help of --names. */
export const namesHelp =
  'names of rows from another table, as in movieId=movies.csv:title: the column title beside the column movieId'

/** Names of rows from other tables, beside their labels. */
export class RowNames {
  readonly #model: Predictor
  readonly #lookup: LabelLookup
  /** Names by row, per mode. */
  readonly #names: (Map<number, string> | undefined)[]
  /** Column of the names, per mode; undefined where there are no names. */
  readonly titles: (string | undefined)[]

  private constructor(model: Predictor) {
    this.#model = model
    this.#lookup = new LabelLookup(model)
    this.#names = model.dims.map(() => undefined)
    this.titles = model.dims.map(() => undefined)
  }

  /**
   * Reads the tables of --names.
   * @param given modes, each with a text FILE:COLUMN; throws if it is none
   * @param progress for a notice if a table names no row of the model
   */
  static async read(
    model: Predictor,
    given: readonly Assignment[] = [],
    progress?: Progress,
  ): Promise<RowNames> {
    const names = new RowNames(model)
    for (const { mode: modeText, text = '' } of given) {
      const mode = names.#lookup.mode(modeText)
      const colon = text.lastIndexOf(':')
      if (colon <= 0 || colon === text.length - 1)
        throw new InputError(
          'option',
          `--names ${modeText}${text && `=${text}`}: say where names are, as in ${modeText}=movies.csv:title.`,
        )
      const [path, column] = [text.slice(0, colon), text.slice(colon + 1)]
      const { name, from } = model.modes?.[mode] ?? { name: modeName(model, mode) }
      const found = await readColumnByLabel(path, [from?.column ?? name, name], column)
      const rows = new Map<number, string>()
      for (const [label, rowName] of found) {
        const row = names.#lookup.find(mode, label)
        if (row !== undefined) rows.set(row, rowName)
      }
      if (rows.size === 0) progress?.say(`${path}: no ${name} of the model is named there.`)
      names.#names[mode] = rows
      names.titles[mode] = column
    }
    return names
  }

  /** Name of a row; undefined if it has none. */
  nameOf(mode: number, row: number): string | undefined {
    return this.#names[mode]?.get(row)
  }

  /** Name of a row, or else its label. */
  nameOrLabel(mode: number, row: number): string {
    return this.nameOf(mode, row) ?? labelOf(this.#model, mode, row)
  }

  /** Row by its label, or else by its name; throws if there is none. */
  row(mode: number, text: string): number {
    const found = this.#lookup.find(mode, text)
    if (found !== undefined) return found
    for (const [row, name] of this.#names[mode] ?? []) if (name === text) return row
    return this.#lookup.row(mode, text)
  }

  /** Number of a mode from 0, by its name or number from 1 as typed; throws if there is none. */
  mode(name: string): number {
    return this.#lookup.mode(name)
  }
}
