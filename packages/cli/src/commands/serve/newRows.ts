/** Rows that a model gains by fold-in. */
import { InputError } from 'lacuna'
import { labelOf, modeName, type TensorModel } from 'lacuna/internal'

/**
 * Throws if an entry has a row far beyond the last one of a mode without labels: rows in between would be made,
 * and one number could exhaust the memory.
 */
export function checkNewRows(
  model: TensorModel,
  entries: readonly Readonly<Record<string, unknown>>[],
): void {
  model.dims.forEach((size, mode) => {
    if (model.labels?.[mode]) return
    const name = modeName(model, mode)
    const most = size + entries.length
    entries.forEach((entry, at) => {
      if (Number(entry[name]) > most)
        throw new InputError(
          'index',
          `Row ${at + 1}: ${name} is ${entry[name]}; the model has ${size} rows there, and new ones follow at once.`,
        )
    })
  })
}

/** Labels of the rows that a larger model has more than another, by mode; modes without new rows are left out. */
export function newRowsByMode(before: TensorModel, after: TensorModel): Record<string, string[]> {
  const added = after.dims.flatMap((dim, mode) => {
    const rows = Array.from({ length: dim - before.dims[mode] }, (_, i) => before.dims[mode] + i)
    return rows.length > 0
      ? [[modeName(after, mode), rows.map((row) => labelOf(after, mode, row))] as const]
      : []
  })
  return Object.fromEntries(added)
}
