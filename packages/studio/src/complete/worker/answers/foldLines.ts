/**
 * Rows of the user's own: they are solved from a few entries under the learned model (fold-in). The learned model
 * stays as it is; the extended one, with these rows, is made anew from all of them when one changes.
 */
import { InputError, type SparseTensor } from 'lacuna'
import { align, modeName, numberAsText, type TensorModel } from 'lacuna/internal'
import { readRows, textTable } from 'lacuna/tables'
import type { FoldedRows, HeldModel } from './answeringModel.ts'

/**
 * Reads entries of new rows; throws if a value is outside those of the data, or no row is new.
 * @param lines one entry per line, as in a CSV file: a label per mode, and the value
 * @returns the entries by the rows of the model, and per mode the labels of the rows that it does not have
 */
async function readLines(
  model: TensorModel,
  lines: string,
): Promise<{ entries: SparseTensor; added: string[][] }> {
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
  const entries = align(model, await readRows(table, { like, newLabels: true, value }))
  checkRange(entries.values, model.range)
  const added = entries.dims.map((size, mode) =>
    Array.from(
      { length: Math.max(0, size - model.dims[mode]) },
      (_, i) => entries.labels?.[mode]?.[model.dims[mode] + i] ?? String(model.dims[mode] + i + 1),
    ),
  )
  return { entries, added }
}

/** Throws if a value is outside the range of the training values, in which all predictions are. */
function checkRange(values: Float32Array, range: readonly [number, number] | undefined): void {
  const outside = range && values.find((x) => x < range[0] || x > range[1])
  if (outside === undefined) return
  const [low, high] = range!.map(numberAsText)
  throw new InputError(
    'value',
    `${numberAsText(outside)} is outside the values of the data, ${low} to ${high}; give a value between them.`,
  )
}

/**
 * Folds rows of the user's own into a held model; rows of the same names that were given before are replaced. Without
 * effect if no row is new to the learned model.
 * @param lines as of `readLines`
 * @param former rows that these replace under other names
 * @returns per mode, the labels of the rows
 */
export async function foldRows(held: HeldModel, lines: string, former?: FoldedRows): Promise<string[][]> {
  const { added } = await readLines(held.model, lines)
  if (added.every((labels) => labels.length === 0)) return added
  /** The rows that the lines add to the learned model and all sets of rows but one. */
  const addedBeside = (skipped: number): string[][] =>
    added.map((labels, mode) => {
      const others = new Set(held.folded.flatMap((one, k) => (k === skipped ? [] : one.added[mode])))
      return labels.filter((label) => !others.has(label))
    })
  const isSame = (a: string[][], b: string[][]): boolean =>
    a.every((labels, mode) => labels.toSorted().join('\n') === b[mode].toSorted().join('\n'))
  const replaced = held.folded.findIndex((one, k) => isSame(one.added, addedBeside(k)))
  if (replaced < 0 && addedBeside(-1).every((labels) => labels.length === 0))
    throw new InputError(
      'option',
      `“${added.find((labels) => labels.length > 0)![0]}” was added together with other rows; add all of them again, or give it another name.`,
    )
  // Rows that others refer to stay before them.
  const place = replaced >= 0 ? replaced : former ? held.folded.indexOf(former) : -1
  const texts = held.folded.map((one) => one.lines)
  const next = place < 0 ? [...texts, lines] : texts.with(place, lines)
  const gone = former === undefined ? -1 : held.folded.indexOf(former)
  await foldTexts(
    held,
    next.filter((_, k) => k === place || k !== gone),
  )
  return held.folded.find((one) => one.lines === lines)!.added
}

/** Removes rows that were folded in together; rows that others refer to stay as far as these need them. */
export const removeRows = (held: HeldModel, gone: FoldedRows): Promise<void> =>
  foldTexts(
    held,
    held.folded.filter((one) => one !== gone).map(({ lines }) => lines),
  )

/** Makes the extended model anew from the lines of all rows of the user's own. */
async function foldTexts(held: HeldModel, texts: readonly string[]): Promise<void> {
  let { model } = held
  const folded: FoldedRows[] = []
  for (const text of texts) {
    const { entries, added } = await readLines(model, text)
    model = model.foldIn(entries)
    folded.push({ lines: text, entries: align(model, entries), added })
  }
  held.folded = folded
  held.extended = folded.length > 0 ? model : undefined
}

/** Folds stored rows in again; those that the model no longer takes are left out. */
export async function foldStored(held: HeldModel, stored: readonly string[]): Promise<void> {
  for (const lines of stored) await foldRows(held, lines).catch(() => {})
}
