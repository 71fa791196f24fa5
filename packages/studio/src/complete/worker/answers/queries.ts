/** The questions about a model that the page asks by name (run/remote.ts). */
import type { CpModel, SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import type {
  Component,
  ExportedTable,
  ExportRequest,
  FoldInOutcome,
  GivenEntry,
  PlaceMap,
  Prediction,
  Ranked,
  RankFilter,
  Slice,
  Validation,
} from '../../answers.ts'
import { modeTitle, summarizeModel } from '../summary.ts'
import type { AnsweringModel, HeldModel } from './answeringModel.ts'
import { listComponents } from './components.ts'
import { exportTable } from './exportTable.ts'
import { foldLines } from './foldLines.ts'
import { mapPlaces } from './places.ts'
import { predictCell, rankRows } from './ranking.ts'
import { findResembling } from './resembling.ts'
import { RowNames, readNames } from './rowNames.ts'
import { readSlice } from './slice.ts'
import { validateModel } from './validation.ts'

/** Makes the functions that answer questions about a model. @param shown returns the model that is shown */
export function modelQueries(shown: () => HeldModel) {
  /** Names of the model that is shown; made anew for another model or other names. */
  let cached: { of: CpModel | CpEnsemble; with: HeldModel['names']; names: RowNames } | undefined
  const answering = (): AnsweringModel => {
    const held = shown()
    const { model, heldOut } = held
    if (cached?.of !== model || cached.with !== held.names)
      cached = { of: model, with: held.names, names: new RowNames(model, held.names) }
    const { names } = cached
    return {
      ...{ model, heldOut, names, data: observedEntries(held) },
      findRows: (labels, free = []) =>
        labels.map((label, mode) => (free.includes(mode) ? 0 : names.row(mode, label))),
    }
  }
  const foldIn = async (lines: string): Promise<FoldInOutcome> => {
    const held = shown()
    const found = await foldLines(held.model, lines)
    held.folded.push(found.entries)
    held.model = found.model
    return { model: summarizeModel(found.model, { observed: true }), added: found.added }
  }
  return {
    /** The components of the model, by decreasing share. */
    components(): Component[] {
      const { model, names } = answering()
      return listComponents(model, names)
    },
    /** The map of the model's places; undefined if it has none. */
    places(): PlaceMap | undefined {
      const { model, data } = answering()
      return mapPlaces(model, data)
    },
    /** Labels or names of a mode that match a text that the user types. */
    suggest: (mode: number, text: string): string[] => answering().names.suggest(mode, text),
    /** The prediction of a cell. @param labels per mode, the label of the row */
    predict(labels: string[]): Prediction {
      const { model, data, findRows } = answering()
      return predictCell(model, data, findRows(labels))
    },
    /** The rows of a mode with the largest predictions; modes without a label are averaged. */
    top(labels: string[], mode: number, most: number, filter: RankFilter): Ranked[] {
      const { model, names, data } = answering()
      const fixed = labels.map((label, m) => (m === mode || label === '' ? undefined : names.row(m, label)))
      return rankRows(model, names, data, { mode, fixed, most, filter })
    },
    /** Folds in new rows. @param lines one entry per line: a label per mode, and the value */
    foldIn,
    /**
     * Folds in a row of the user's own from values along other modes.
     * @param mode the mode of the new row
     * @param label its label
     */
    async foldRow(mode: number, label: string, entries: GivenEntry[]): Promise<FoldInOutcome> {
      const { model, names } = answering()
      const lines = entries.map(({ labels, value }) => {
        const fields = labels.map((text, m) => (m === mode ? label : model.label(m, names.row(m, text))))
        return [...fields.map((field) => `"${field.replaceAll('"', '""')}"`), value].join()
      })
      return foldIn(lines.join('\n'))
    },
    /** A matrix of the tensor: the modes `rows` and `columns` vary, the others are fixed by their labels. */
    slice(labels: string[], rows: number, columns: number, component?: number): Slice {
      const { model, names, data, findRows } = answering()
      const coordinate = findRows(labels, [rows, columns])
      return readSlice(model, names, data, { coordinate, rowMode: rows, columnMode: columns, component })
    },
    /** Finds out whether a table has names of rows. @returns the title of the mode; undefined if it has none */
    async findNames(file: File): Promise<string | undefined> {
      const { model } = shown()
      const found = await readNames(model, file).catch(() => undefined)
      return found && modeTitle(model, found.mode)
    },
    /** Takes names of rows from a table. @returns the title of the mode that has names now, and how many */
    async attachNames(file: File): Promise<{ mode: string; names: number }> {
      const held = shown()
      const { mode, names } = await readNames(held.model, file)
      held.names = new Map([...(held.names ?? []), [mode, names]])
      return { mode: modeTitle(held.model, mode), names: names.size }
    },
    /** The names of rows that were given, by mode and label. */
    givenNames: (): Map<number, ReadonlyMap<string, string>> => shown().names ?? new Map(),
    /**
     * The best rows of a mode for a row that was folded in, with what each resembles among the given ones.
     * @param labels per mode, the label of the fixed row, or empty for the mean
     */
    suggestFor(
      labels: string[],
      mode: number,
      most: number,
      minEntries: number,
      given: { label: string; value: number }[],
    ): Ranked[] {
      const { model, names, data } = answering()
      const fixed = labels.map((label, m) => (m === mode || label === '' ? undefined : names.row(m, label)))
      // Where a mode is averaged over, every cell of a given row counts as known.
      const filter = { skipObserved: true, minEntries }
      const resembling = findResembling(model, names, mode, given)
      return rankRows(model, names, data, { mode, fixed, most, filter }).map((ranked) => ({
        ...ranked,
        because: resembling(ranked.label),
      }))
    },
    /** Checks of the model; undefined if there are no entries to compare with. */
    validate(): Validation | undefined {
      const { model, names, data, heldOut } = answering()
      return validateModel(model, names, data, heldOut)
    },
    /** Predictions as a .csv file. */
    exportTable: (request: ExportRequest): ExportedTable => exportTable(answering(), request),
  }
}

/** The observed entries: those of the data and those of the rows that were folded in. */
function observedEntries({ model: { dims }, data, folded }: HeldModel): SparseTensor | undefined {
  const all = [...(data ? [data] : []), ...folded]
  if (all.length < 2) return all[0]
  const length = all.reduce((sum, { values }) => sum + values.length, 0)
  const indices = dims.map(() => new Uint32Array(length))
  const values = new Float32Array(length)
  let start = 0
  for (const part of all) {
    part.indices.forEach((column, mode) => {
      indices[mode].set(column, start)
    })
    values.set(part.values, start)
    start += part.values.length
  }
  return { ...all[0], dims, indices, values }
}
