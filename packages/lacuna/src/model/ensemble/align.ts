/** Aligns entries to a model: rows of the model keep their indices, new rows follow. */
import { InputError } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { modeName, type Predictor } from '../factored.ts'
import { type Label, LabelLookup } from '../labelLookup.ts'

/** A new entry: the label of each mode and the value, by name. */
export type NewEntry = Readonly<Record<string, Label | null | undefined>>

/** The property of new entries that holds the value: the name of the training values, or `value`. */
export const valueNameOf = ({ training }: { training: Readonly<Record<string, unknown>> }): string =>
  typeof training.value === 'string' ? training.value : 'value'

/**
 * Returns a tensor whose indices are those of a model, by label; rows with new labels are appended. Modes of
 * which the model or the tensor has no labels keep their indices. Throws if the number of modes differs.
 */
export function align(model: Predictor, entries: SparseTensor): SparseTensor {
  const order = model.dims.length
  if (entries.dims.length !== order)
    throw new InputError(
      'shape',
      `The model has ${order} modes, but the entries have ${entries.dims.length}.`,
    )
  const lookup = new LabelLookup(model)
  const modes = entries.dims.map((_, mode) => {
    const entryLabels = entries.labels?.[mode]
    const labels = model.labels?.[mode]
    if (!entryLabels || !labels) return alignByIndex(model, entries, mode)
    const added = new Map<string, number>()
    const rows = Uint32Array.from(
      entryLabels,
      (label) => lookup.find(mode, label) ?? addRow(added, lookup.newLabel(mode, label), labels.length),
    )
    return { column: entries.indices[mode].map((index) => rows[index]), labels: [...labels, ...added.keys()] }
  })
  return {
    ...entries,
    dims: modes.map(({ labels, column }, mode) => labels?.length ?? sizeOf(column, model.dims[mode])),
    indices: modes.map(({ column }) => column),
    ...(model.labels && { labels: modes.map(({ labels }) => labels) }),
    ...(model.modes && { modes: model.modes }),
  }
}

/** The row of a new label, the next one if it was not added yet. @param size rows of the model */
function addRow(added: Map<string, number>, label: string, size: number): number {
  const known = added.get(label)
  if (known !== undefined) return known
  added.set(label, size + added.size)
  return size + added.size - 1
}

/**
 * The indices of a mode unchanged, and its labels, if the model has any; new rows have their number from 1 as
 * a label.
 */
function alignByIndex(
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

/** One more than the largest index of a column, but at least `least`. */
function sizeOf(column: Uint32Array, least: number): number {
  let size = least
  for (const index of column) if (index >= size) size = index + 1
  return size
}

/**
 * Makes a tensor of records, with the indices of a model by label; rows with new labels are appended. Throws
 * if a label is missing, a value is not a number from 0, or there are no records.
 * @param valueName the property of the value
 */
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
    if (Math.fround(value) === Infinity)
      throw new InputError(
        'value',
        `Row ${number}: ${valueName} is ${value}, which is too large for a float32; scale the values down.`,
      )
    values.push(value)
    names.forEach((name, mode) => {
      const label = row[name]
      if (label === undefined || label === null)
        throw new InputError(
          'option',
          `Row ${number}: there is no ${name}; give a label for each mode: ${names.join(', ')}.`,
        )
      if (label === '')
        throw new InputError('value', `Row ${number}: ${name} is an empty text, which is no label; give one.`)
      if (typeof label === 'number' && Number.isInteger(label) && !Number.isSafeInteger(label))
        throw new InputError(
          'value',
          `Row ${number}: ${name} is ${label}, and whole numbers above 2^53 are not exact; give it as a text.`,
        )
      columns[mode].push(lookup.find(mode, label) ?? newRow(mode, label, number))
    })
  }
  if (values.length === 0) throw new InputError('empty', 'There are no entries to fold in.')

  /** The index of a label that the model does not have. In a mode without labels it is the number itself. */
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
    return addRow(added[mode], lookup.newLabel(mode, label), size)
  }

  const indices = columns.map((column) => Uint32Array.from(column))
  const labels = model.labels?.map((old, mode) => old && [...old, ...added[mode].keys()])
  return {
    dims: indices.map((column, mode) => labels?.[mode]?.length ?? sizeOf(column, model.dims[mode])),
    indices,
    values: Float32Array.from(values),
    ...(labels && { labels }),
    ...(model.modes && { modes: model.modes }),
    valueName,
  }
}
