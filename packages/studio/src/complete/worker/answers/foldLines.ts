/** Fold-in of rows that the user types as lines. */
import type { CpModel, SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import { align, modeName } from 'lacuna/internal'
import { readRows, textTable } from 'lacuna/tables'
import type { HeldModel } from './answeringModel.ts'

/**
 * Adds new rows to a model by fold-in: their factor rows are fitted to the given entries, the other rows
 * stay.
 * @param lines one entry per line, as in a CSV file: a label per mode, and the value
 * @returns the model with the new rows, the entries of the lines, and per mode the labels of the new rows
 */
export async function foldLines(
  model: CpModel | CpEnsemble,
  lines: string,
): Promise<{ model: CpModel | CpEnsemble; entries: SparseTensor; added: string[][] }> {
  const names = model.dims.map((_, mode) => modeName(model, mode))
  const value = typeof model.training.value === 'string' ? model.training.value : 'value'
  const header = [...names, value].map((name) => `"${name.replaceAll('"', '""')}"`)
  const text = `${header.join(',')}\n${lines.trim()}\n`
  async function* open(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(text)
  }
  const table = await textTable([{ name: 'new rows', open }], {
    name: 'new rows',
    delimiter: ',',
    header: true,
  })
  const like = { dims: model.dims, labels: model.labels, modes: names.map((name) => ({ name })) }
  const entries = await readRows(table, { like, newLabels: true, value })
  const larger = model.foldIn(entries)
  const added = larger.dims.map((size, mode) =>
    Array.from({ length: size - model.dims[mode] }, (_, i) => larger.label(mode, model.dims[mode] + i)),
  )
  return { model: larger, entries: align(larger, entries), added }
}

/** Folds new rows into a held model. @param lines as of `foldLines` @returns the larger model, and the new labels */
export async function foldRows(
  held: HeldModel,
  lines: string,
): Promise<{ model: CpModel | CpEnsemble; added: string[][] }> {
  const before = held.model
  const { model, entries, added } = await foldLines(before, lines)
  held.folded.push({ lines, entries, before })
  held.model = model
  return { model, added }
}
