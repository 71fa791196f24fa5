/**
 * Entries that speak of a model's rows, and of others: the rows of the model keep their places, new ones come behind.
 */
import { InputError } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { modeName, type Predictor } from '../factored.ts'
import { type Label, LabelLookup } from '../labelLookup.ts'

/** A row of a table, by the names of its columns. */
export type NewEntry = Readonly<Record<string, Label | null | undefined>>

/** The entries with the model's indices, and labels for the rows that it does not have. */
export function align(model: Predictor, entries: SparseTensor): SparseTensor {
  const order = model.dims.length
  if (entries.dims.length !== order)
    throw new InputError(
      'shape',
      `The model has ${order} modes, but the entries have ${entries.dims.length}.`,
    )
  const lookup = new LabelLookup(model)
  const modes = entries.dims.map((_, mode) => {
    const own = entries.labels?.[mode]
    const labels = model.labels?.[mode]
    if (!own || !labels) return indexed(model, entries, mode)
    const added: string[] = []
    const places = Uint32Array.from(own, (label) => {
      const found = lookup.find(mode, label)
      return found ?? labels.length + added.push(label) - 1
    })
    return { column: entries.indices[mode].map((index) => places[index]), labels: [...labels, ...added] }
  })
  return {
    ...entries,
    dims: modes.map(({ labels, column }, mode) => labels?.length ?? sizeOf(column, model.dims[mode])),
    indices: modes.map(({ column }) => column),
    ...(model.labels && { labels: modes.map(({ labels }) => labels) }),
    ...(model.modes && { modes: model.modes }),
  }
}

/** Where one of the two has no labels, rows are what they are by number; new ones are called by theirs. */
function indexed(
  model: Predictor,
  { indices }: SparseTensor,
  mode: number,
): { column: Uint32Array; labels?: string[] } {
  const column = indices[mode]
  const labels = model.labels?.[mode]
  if (!labels) return { column }
  const size = sizeOf(column, labels.length)
  return { column, labels: Array.from({ length: size }, (_, row) => labels[row] ?? String(row + 1)) }
}

function sizeOf(column: Uint32Array, least: number): number {
  let size = least
  for (const index of column) if (index >= size) size = index + 1
  return size
}

/** Rows of a table as entries: a label for each mode, and a number under the name of the values. */
export function alignRows(model: Predictor, rows: Iterable<NewEntry>, valueName: string): SparseTensor {
  const lookup = new LabelLookup(model)
  const names = model.dims.map((_, mode) => modeName(model, mode))
  const columns: number[][] = names.map(() => [])
  const added = names.map(() => new Map<string, number>())
  const values: number[] = []
  let number = 0
  for (const row of rows) {
    number++
    const value = row[valueName]
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw new InputError('value', `Row ${number}: ${valueName} is ${value}; it must be a number from 0.`)
    values.push(value)
    names.forEach((name, mode) => {
      const label = row[name]
      if (label === undefined || label === null)
        throw new InputError(
          'option',
          `Row ${number}: there is no ${name}; give a label for each mode: ${names.join(', ')}.`,
        )
      columns[mode].push(lookup.find(mode, label) ?? newRow(mode, label, number))
    })
  }
  if (values.length === 0) throw new InputError('empty', 'There are no entries to fold in.')

  function newRow(mode: number, label: Label, row: number): number {
    const size = model.dims[mode]
    if (!model.labels?.[mode]) {
      const index = Number(label) - 1
      if (Number.isInteger(index) && index >= size) return index
      throw new InputError(
        'index',
        `Row ${row}: ${names[mode]} is ${label}; it must be a whole number from 1.`,
      )
    }
    const known = added[mode].get(String(label))
    if (known !== undefined) return known
    const place = size + added[mode].size
    added[mode].set(String(label), place)
    return place
  }

  const indices = columns.map((column) => Uint32Array.from(column))
  const labels = model.labels?.map((own, mode) => own && [...own, ...added[mode].keys()])
  return {
    dims: indices.map((column, mode) => labels?.[mode]?.length ?? sizeOf(column, model.dims[mode])),
    indices,
    values: Float32Array.from(values),
    ...(labels && { labels }),
    ...(model.modes && { modes: model.modes }),
    valueName,
  }
}
