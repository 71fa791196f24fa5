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
import type { SideTable } from '../../sideTables.ts'
import { summarizeModel } from '../summary.ts'
import type { AnsweringModel, HeldModel } from './answeringModel.ts'
import { listComponents } from './components.ts'
import { exportTable } from './exportTable.ts'
import { foldRows } from './foldLines.ts'
import { mapPlaces } from './places.ts'
import { predictCell, rankRows } from './ranking.ts'
import { findResembling } from './resembling.ts'
import { type NamesByMode, namesOf, RowNames } from './rowNames.ts'
import { readSlice } from './slice.ts'
import { validateModel } from './validation.ts'

/** No tables beside the data. */
const NO_TABLES: readonly SideTable[] = []

/**
 * Makes the functions that answer questions about a model.
 * @param shown returns the model that is shown
 * @param sideTables returns the tables beside the data
 */
export function modelQueries(
  shown: () => HeldModel,
  sideTables: () => readonly SideTable[] = () => NO_TABLES,
) {
  /** Names of the model that is shown; made anew for another model or other names. */
  let cached: { of: CpModel | CpEnsemble; with: readonly SideTable[]; names: RowNames } | undefined
  const answering = (): AnsweringModel => {
    const held = shown()
    const { model } = held
    const tables = sideTables()
    if (cached?.of !== model || cached.with !== tables)
      cached = { of: model, with: tables, names: new RowNames(model, namesOf(model, tables)) }
    const { names } = cached
    return {
      ...{ model, names, data: observedEntries(held) },
      heldOut: held.heldOut,
      findRows: (labels, free = []) =>
        labels.map((label, mode) => (free.includes(mode) ? 0 : names.row(mode, label))),
    }
  }
  const foldIn = async (lines: string): Promise<FoldInOutcome> => {
    const { model, added } = await foldRows(shown(), lines)
    return { model: summarizeModel(model, { observed: true }), added }
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
    /** The names of rows that were given, by mode and label. */
    givenNames: (): NamesByMode => namesOf(shown().model, sideTables()),
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
      // If a mode is averaged over, every cell of a given row counts as known.
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
      return validateModel(model, names, data, heldOut?.())
    },
    /** Predictions as a .csv file. */
    exportTable: (request: ExportRequest): ExportedTable => exportTable(answering(), request),
  }
}

/** The observed entries: those of the data and those of the rows that were folded in. */
function observedEntries({ model: { dims }, data, folded }: HeldModel): SparseTensor | undefined {
  const all = [...(data ? [data] : []), ...folded.map(({ entries }) => entries)]
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
