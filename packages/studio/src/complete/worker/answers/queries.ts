/** The questions about a model that the page asks by name (run/remote.ts). */
import { type CpModel, InputError, type SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import type {
  Component,
  ExportedTable,
  ExportRequest,
  FoldInOutcome,
  GivenEntry,
  OwnRows,
  PlaceMap,
  Prediction,
  Ranked,
  RankFilter,
  RowMatch,
  Slice,
  Validation,
} from '../../answers.ts'
import type { ModelSummary } from '../../protocol.ts'
import type { SideTable } from '../../sideTables.ts'
import { modeTitle, summarizeModel } from '../summary.ts'
import type { AnsweringModel, FoldedRows, HeldModel } from './answeringModel.ts'
import { listComponents } from './components.ts'
import { exportTable } from './exportTable.ts'
import { foldRows, removeRows } from './foldLines.ts'
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
  /** Names of a model; made anew for another model or other names. */
  const cache = new Map<'learned' | 'extended', CachedNames>()
  const namesFor = (kind: 'learned' | 'extended', model: CpModel | CpEnsemble): RowNames => {
    const tables = sideTables()
    const cached = cache.get(kind)
    if (cached?.of === model && cached.with === tables) return cached.names
    const names = new RowNames(model, namesOf(model, tables))
    cache.set(kind, { of: model, with: tables, names })
    return names
  }
  const answeringOf = (
    kind: 'learned' | 'extended',
    model: CpModel | CpEnsemble,
    data: SparseTensor | undefined,
  ): AnsweringModel => {
    const { model: learned, heldOut } = shown()
    const names = namesFor(kind, model)
    return {
      ...{ model, names, data, heldOut },
      findRows: (labels, free = []) =>
        labels.map((label, mode) => (free.includes(mode) ? 0 : names.row(mode, label))),
      modelAt: (rows) =>
        rows.some((row, mode) => row !== undefined && row >= learned.dims[mode]) ? model : learned,
    }
  }
  /** The learned model, without rows of the user's own. */
  const learned = (): AnsweringModel => answeringOf('learned', shown().model, shown().data)
  /** The model with rows of the user's own. */
  const answering = (): AnsweringModel => {
    const held = shown()
    return answeringOf('extended', held.extended ?? held.model, observedEntries(held))
  }
  const summarize = (held: HeldModel): ModelSummary =>
    summarizeModel(held.model, { observed: held.data !== undefined }, held.extended)
  const foldIn = async (lines: string, former?: FoldedRows): Promise<FoldInOutcome> => {
    const held = shown()
    const added = await foldRows(held, lines, former)
    return { model: summarize(held), added }
  }
  return {
    /** The components of the model, by decreasing share. */
    components(): Component[] {
      const { model, names } = learned()
      return listComponents(model, names)
    },
    /** The map of the model's places; undefined if it has none. */
    places(): PlaceMap | undefined {
      const { model, data } = learned()
      return mapPlaces(model, data)
    },
    /** Labels or names of a mode that match a text that the user types. */
    suggest: (mode: number, text: string): string[] => answering().names.suggest(mode, text),
    /** The row that a text names, or those with names like it. */
    findRow(mode: number, text: string): RowMatch {
      const { names } = answering()
      const row = names.find(mode, text)
      if (row !== undefined) return { label: names.text(mode, row), near: [] }
      return { near: names.nearest(mode, text), problem: names.describeUnknown(mode, text) }
    },
    /** The prediction of a cell. @param labels per mode, the label of the row */
    predict(labels: string[]): Prediction {
      const { data, findRows, modelAt } = answering()
      const cell = findRows(labels)
      return predictCell(modelAt(cell), data, cell)
    },
    /** The rows of a mode with the largest predictions; modes without a label are averaged. */
    top(labels: string[], mode: number, most: number, filter: RankFilter): Ranked[] {
      const all = answering()
      const fixed = labels.map((label, m) =>
        m === mode || label === '' ? undefined : all.names.row(m, label),
      )
      const { model, names, data } = all.modelAt(fixed) === all.model ? all : learned()
      return rankRows(model, names, data, { mode, fixed, most, filter })
    },
    /** Folds in rows of the user's own. @param lines one entry per line: a label per mode, and the value */
    foldIn: (lines: string) => foldIn(lines),
    /** The rows of the user's own, by the order in which they were folded in; rows of one item came together. */
    ownRows: (): OwnRows[] => shown().folded.map(({ added }) => ({ labels: added })),
    /** Removes rows of the user's own that came together. @param nth their place in `ownRows` */
    async removeOwnRows(nth: number): Promise<ModelSummary> {
      const held = shown()
      if (held.folded[nth]) await removeRows(held, held.folded[nth])
      return summarize(held)
    },
    /**
     * Folds in a row of the user's own from values along other modes; it replaces an earlier one of this name. Throws if
     * the name is that of a row of the data.
     * @param mode the mode of the new row
     * @param label its label
     * @param formerLabel its label when it was folded in before, which is replaced
     */
    async foldRow(
      mode: number,
      label: string,
      entries: GivenEntry[],
      formerLabel?: string,
    ): Promise<FoldInOutcome> {
      if (learned().names.find(mode, label) !== undefined)
        throw new InputError(
          'option',
          `“${label}” is a row of ${modeTitle(shown().model, mode)} in the data; give yours another name.`,
        )
      const { model, names } = answering()
      const lines = entries.map(({ labels, value }) => {
        const fields = labels.map((text, m) => (m === mode ? label : model.label(m, names.row(m, text))))
        return [...fields.map((field) => `"${field.replaceAll('"', '""')}"`), value].join()
      })
      const isFormer = ({ added }: FoldedRows): boolean =>
        added.every((labels, m) => labels.join('\n') === (m === mode ? formerLabel : ''))
      return foldIn(
        lines.join('\n'),
        formerLabel === undefined || formerLabel === label ? undefined : shown().folded.find(isFormer),
      )
    },
    /** A matrix of the tensor: the modes `rows` and `columns` vary, the others are fixed by their labels. */
    slice(labels: string[], rows: number, columns: number, component?: number): Slice {
      const { model, names, data, findRows } = answering()
      const coordinate = findRows(labels, [rows, columns])
      const question = { coordinate, rowMode: rows, columnMode: columns, component }
      return readSlice(model, names, data, question, shown().model.dims)
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
      const { model, names, data, heldOut } = learned()
      return validateModel(model, names, data, heldOut?.())
    },
    /** Predictions as a .csv file. */
    exportTable: (request: ExportRequest): ExportedTable => exportTable(answering(), request),
  }
}

/** The names of the rows of a model, and what they were made of. */
interface CachedNames {
  of: CpModel | CpEnsemble
  with: readonly SideTable[]
  names: RowNames
}

/** Observed entries with those of rows of the user's own, by these rows: cell values are cached by tensor. */
const withOwnEntries = new WeakMap<readonly FoldedRows[], SparseTensor>()

/** The observed entries: those of the data and those of the rows of the user's own. */
function observedEntries(held: HeldModel): SparseTensor | undefined {
  const { data, folded, extended } = held
  if (folded.length === 0) return data
  const cached = withOwnEntries.get(folded)
  if (cached) return cached
  const made = joinEntries((extended ?? held.model).dims, data, folded)
  withOwnEntries.set(folded, made)
  return made
}

/** Joins entries of the data and of rows of the user's own. @param dims sizes with these rows */
function joinEntries(
  dims: readonly number[],
  data: SparseTensor | undefined,
  folded: readonly FoldedRows[],
): SparseTensor {
  const all = [...(data ? [data] : []), ...folded.map(({ entries }) => entries)]
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
