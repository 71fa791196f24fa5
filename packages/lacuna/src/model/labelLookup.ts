/** Finds modes by name and rows by label. */
import { InputError } from '../base/inputError.ts'
import {
  type ColumnType,
  isTemporal,
  labelFinder,
  labelOfCell,
  timeOfText,
  toLabel,
} from '../labels/index.ts'
import { modeName, type Predictor } from './factored.ts'

/** A label, as text or as the number that the text represents. */
export type Label = string | number | bigint | boolean

/** A label for each mode, by the modes' names. */
export type Labels<M extends string = string> = Readonly<Record<M, Label>>

/** The part of a model or tensor that labels are looked up in. */
type Labelled = Pick<Predictor, 'dims' | 'labels' | 'modes'>

/** Most properties that a message lists. */
const MOST_NAMED = 8

/** Finds modes by name and rows by label. */
export class LabelLookup {
  readonly #source: Labelled
  /** Per mode, rows by label; made at the first use. */
  readonly #rows: (ReadonlyMap<string | number, number> | undefined)[]
  /** Per mode of times with zones, the function that finds their instants; made at the first use. */
  readonly #finders: (((text: string) => number | undefined) | undefined)[] = []

  /** @param source the model or tensor whose modes and rows are looked up */
  constructor(source: Labelled) {
    this.#source = source
    this.#rows = source.dims.map(() => undefined)
  }

  /**
   * The mode with this name (ignoring case), or whose name begins with this function (`week` for week(seen)),
   * or that alone is made of the column with this name, or with this number from 1; throws if there is none.
   */
  mode(name: string): number {
    const { dims } = this.#source
    const made = this.modesOfColumn(name)
    const names = dims.map((_, mode) => modeName(this.#source, mode))
    const exact = names.indexOf(name)
    if (exact >= 0) return exact
    const alike = names.flatMap((each, mode) => {
      const plain = each.toLowerCase()
      const wanted = name.toLowerCase()
      return plain === wanted || plain.split('(')[0] === wanted ? [mode] : []
    })
    if (alike.length === 1) return alike[0]
    if (alike.length === 0 && made.length === 1) return made[0]
    const number = Number(/^(?:mode_)?([0-9]+)$/.exec(name)?.[1] ?? 0)
    if (number >= 1 && number <= dims.length) return number - 1
    throw new InputError('option', `There is no mode "${name}"; the modes are ${names.join(', ')}.`)
  }

  /** The modes that are made of the column with this name, ignoring case, by a binning or under another name. */
  modesOfColumn(name: string): number[] {
    const wanted = name.toLowerCase()
    return (this.#source.modes ?? []).flatMap(({ from }, mode) =>
      from?.column.toLowerCase() === wanted ? [mode] : [],
    )
  }

  /**
   * The row with this label, from 0; undefined if there is none. Without labels, the label is the row's
   * number from 1. Numbers match by value: 4.5 finds 4.50. Times match in any form (labels/labelText.ts): a
   * date finds its midnight, and in a mode of weeks the week that it is in.
   */
  find(mode: number, label: Label): number | undefined {
    const labels = this.#source.labels?.[mode]
    if (!labels) {
      const index = String(label).trim() === '' ? NaN : Number(label) - 1
      return Number.isInteger(index) && index >= 0 && index < this.#source.dims[mode] ? index : undefined
    }
    this.#rows[mode] ??= rowsByLabel(labels)
    const rows = this.#rows[mode]
    const text = String(label)
    const number = typeof label === 'boolean' ? undefined : exactNumber(text)
    return (
      rows.get(text) ?? (number === undefined ? undefined : rows.get(number)) ?? this.#findForm(mode, text)
    )
  }

  /** The row whose label a text means in another form; undefined if there is none. */
  #findForm(mode: number, text: string): number | undefined {
    const about = this.#source.modes?.[mode]
    const labels = this.#source.labels?.[mode]
    if (!about || !labels) return undefined
    if (about.type === 'TIMESTAMPTZ') {
      this.#finders[mode] ??= labelFinder(labels, about.type)
      return this.#finders[mode](text)
    }
    return this.#rows[mode]?.get(toLabel(text, about))
  }

  /**
   * The row for a cell of the column that a mode is made of, from 0: the hour of a time, say; throws if there is
   * none. In a mode that is not binned it is the row of the label.
   */
  rowOfCell(mode: number, cell: Label): number {
    const from = this.#source.modes?.[mode]?.from
    const label = from?.binning === undefined ? undefined : labelOfCell(String(cell), from)
    return this.row(mode, label ?? cell)
  }

  /**
   * The label that a new row gets: canonical by the mode's type, if the text has such a form. Throws if rows are
   * times, and the text is none.
   */
  newLabel(mode: number, label: Label): string {
    const about = this.#source.modes?.[mode]
    const text = toLabel(String(label), about ?? {})
    const last = this.#source.labels?.[mode]?.at(-1) ?? ''
    const isTime = isTemporal((about?.type ?? 'VARCHAR') as ColumnType) && !Number.isNaN(timeOfText(last))
    if (isTime && Number.isNaN(timeOfText(text)))
      throw new InputError(
        'value',
        `${modeName(this.#source, mode)} is "${text}", which is no date or time, as the rows of the model are (${last}); correct it.`,
      )
    return text
  }

  /** The row with this label, from 0; throws if there is none. */
  row(mode: number, label: Label): number {
    const found = this.find(mode, label)
    if (found !== undefined) return found
    const name = modeName(this.#source, mode)
    const labels = this.#source.labels?.[mode]
    throw new InputError(
      'index',
      labels
        ? `The model knows no ${name} "${label}"; it has ${labels.length}, from "${labels[0]}" to "${labels[labels.length - 1]}"${this.#isLater(mode, label) ? '. Rows after the last one are a forecast: lacuna forecast' : ''}.`
        : `${name} is ${label}; it must be a whole number from 1 to ${this.#source.dims[mode]}.`,
    )
  }

  /** Whether a label is a time after the last one of a mode. */
  #isLater(mode: number, label: Label): boolean {
    const about = this.#source.modes?.[mode]
    const last = this.#source.labels?.[mode]?.at(-1)
    const isTime = isTemporal((about?.type ?? 'VARCHAR') as ColumnType)
    if (!about || last === undefined || !isTime) return false
    const time = timeOfText(toLabel(String(label), about))
    return time > timeOfText(last)
  }

  /**
   * The row of each mode, from 0, by the labels of all modes, or by the cells of the columns that they are made
   * of. Other properties are ignored, so that whole records can be given. Throws if a label is missing or unknown, or if the modes have no names.
   */
  rows(asked: Labels): number[] {
    const { modes } = this.#source
    if (!modes)
      throw new InputError(
        'option',
        'The modes of this model have no names; give the indices, from 0, instead.',
      )
    const isGiven = (name: string | undefined): name is string =>
      name !== undefined && Object.hasOwn(asked, name) && asked[name] !== null && asked[name] !== undefined
    return modes.map(({ name, from }, mode) => {
      if (!isGiven(name) && isGiven(from?.column)) return this.rowOfCell(mode, asked[from.column])
      if (!isGiven(name))
        throw new InputError(
          'option',
          `There is no ${name} among ${Object.keys(asked).slice(0, MOST_NAMED).join(', ') || 'no labels'}; give a label for each mode: ${modes.map((mode) => mode.name).join(', ')}.`,
        )
      return this.row(mode, asked[name])
    })
  }
}

/** Cache of `lookupOf`, by model: the maps of labels take long to make. */
const lookups = new WeakMap<Labelled, LabelLookup>()

/** The lookup of a model, cached by model. */
export function lookupOf(model: Labelled): LabelLookup {
  const cached = lookups.get(model)
  if (cached) return cached
  const lookup = new LabelLookup(model)
  lookups.set(model, lookup)
  return lookup
}

/** Maps each label to its row, and also the number that a label represents: 4.5 to the row of 4.50. */
function rowsByLabel(labels: readonly string[]): Map<string | number, number> {
  const rows = new Map<string | number, number>()
  labels.forEach((label, row) => {
    rows.set(label, row)
    const number = exactNumber(label)
    if (number !== undefined) rows.set(number, row)
  })
  return rows
}

/** The number that a text represents; undefined if it is none, or a whole one beyond 2⁵³, where ids would be mixed up. */
function exactNumber(text: string): number | undefined {
  const number = text.trim() === '' ? NaN : Number(text)
  const isMixedUp = /^\s*[+-]?\d+\s*$/.test(text) && !Number.isSafeInteger(number)
  return Number.isNaN(number) || isMixedUp ? undefined : number
}

/**
 * Labels that begin with or contain a text, ignoring case; those that begin with it first.
 * @param most how many at most
 */
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
