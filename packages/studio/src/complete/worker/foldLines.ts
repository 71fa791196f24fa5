import type { CpModel, SparseTensor } from 'lacuna'
import { align } from 'lacuna/internal'
import { readRows, textTable } from 'lacuna/tables'

/** The model with the new rows that lines speak of: the labels of all modes and a value, as in a table of them. */
export async function foldLines(
  model: CpModel,
  lines: string,
): Promise<{ model: CpModel; entries: SparseTensor; added: string[][] }> {
  const names = model.dims.map((_, mode) => model.modes?.[mode]?.name ?? `mode_${mode + 1}`)
  const value = typeof model.training.value === 'string' ? model.training.value : 'value'
  const quoted = [...names, value].map((name) => `"${name.replaceAll('"', '""')}"`)
  const text = `${quoted.join(',')}\n${lines.trim()}\n`
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
