/** Finds modes by name and rows by label. */
import { InputError } from '../base/inputError.ts'
import { modeName, type Predictor } from './factored.ts'

/** A label, as text or as the number that the text represents. */
export type Label = string | number | bigint | boolean

/** A label for each mode, by the modes' names. */
export type Labels = Readonly<Record<string, Label>>

type Labelled = Pick<Predictor, 'dims' | 'labels' | 'modes'>

/** Finds modes by name and rows by label. */
export class LabelLookup {
  readonly #of: Labelled
  /** Per mode, rows by label; made at the first use. */
  readonly #rows: (ReadonlyMap<string | number, number> | undefined)[]

  /** @param of the model or tensor with these sizes, labels and modes */
  constructor(of: Labelled) {
    this.#of = of
    this.#rows = of.dims.map(() => undefined)
  }

  /**
   * The mode of that name, in any case, by the function in its name (`week` for week(seen)), or by its number
   * from 1.
   */
  mode(name: string): number {
    const { dims } = this.#of
    const names = dims.map((_, mode) => modeName(this.#of, mode))
    const exact = names.indexOf(name)
    if (exact >= 0) return exact
    const alike = names.flatMap((each, mode) => {
      const plain = each.toLowerCase()
      const wanted = name.toLowerCase()
      return plain === wanted || plain.split('(')[0] === wanted ? [mode] : []
    })
    if (alike.length === 1) return alike[0]
    const number = Number(/^(?:mode_)?([0-9]+)$/.exec(name)?.[1] ?? 0)
    if (number >= 1 && number <= dims.length) return number - 1
    throw new InputError('option', `There is no mode "${name}"; the modes are ${names.join(', ')}.`)
  }

  /** The row with this label, from 0; undefined if there is none. */
  find(mode: number, label: Label): number | undefined {
    const labels = this.#of.labels?.[mode]
    if (!labels) {
      const index = String(label).trim() === '' ? NaN : Number(label) - 1
      return Number.isInteger(index) && index >= 0 && index < this.#of.dims[mode] ? index : undefined
    }
    this.#rows[mode] ??= rowsByLabel(labels)
    const rows = this.#rows[mode]
    const text = String(label)
    const number = text.trim() === '' || typeof label === 'boolean' ? NaN : Number(text)
    return rows.get(text) ?? (Number.isNaN(number) ? undefined : rows.get(number))
  }

  /** The row with this label, from 0; throws if there is none. */
  row(mode: number, label: Label): number {
    const found = this.find(mode, label)
    if (found !== undefined) return found
    const name = modeName(this.#of, mode)
    const labels = this.#of.labels?.[mode]
    throw new InputError(
      'index',
      labels
        ? `The model knows no ${name} "${label}"; it has ${labels.length}, from "${labels[0]}" to "${labels[labels.length - 1]}".`
        : `${name} is ${label}; it must be a whole number from 1 to ${this.#of.dims[mode]}.`,
    )
  }

  /**
   * The rows of all modes, from 0. Other properties than the modes are ignored, so that whole records can be
   * given.
   */
  rows(asked: Labels): number[] {
    const { modes } = this.#of
    if (!modes)
      throw new InputError(
        'option',
        'The modes of this model have no names; give the indices, from 0, instead.',
      )
    return modes.map(({ name }, mode) => {
      if (!Object.hasOwn(asked, name) || asked[name] === null || asked[name] === undefined)
        throw new InputError(
          'option',
          `There is no ${name}; give a label for each mode: ${modes.map((mode) => mode.name).join(', ')}.`,
        )
      return this.row(mode, asked[name])
    })
  }
}

/** Rows by label, and by the number that a label represents: a label 4.50 is also 4.5. */
function rowsByLabel(labels: readonly string[]): Map<string | number, number> {
  const rows = new Map<string | number, number>()
  labels.forEach((label, row) => {
    rows.set(label, row)
    if (label.trim() !== '' && !Number.isNaN(Number(label))) rows.set(Number(label), row)
  })
  return rows
}

/** Labels that begin with or contain a text, those that begin with it first. @param most how many at most */
export function suggestLabels(labels: readonly string[] | undefined, text: string, most = 30): string[] {
  const wanted = text.toLowerCase()
  const [begin, contain]: [string[], string[]] = [[], []]
  for (const label of labels ?? []) {
    const at = label.toLowerCase().indexOf(wanted)
    if (at === 0) begin.push(label)
    else if (at > 0 && contain.length < most) contain.push(label)
    if (begin.length >= most) break
  }
  return [...begin, ...contain].slice(0, most)
}
