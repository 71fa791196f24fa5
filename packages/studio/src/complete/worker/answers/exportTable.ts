/** Tables of predictions that the page saves as .csv: what was asked for, with digits that the error leaves. */
import { InputError, type SparseTensor } from 'lacuna'
import { modeName, numberAsText } from 'lacuna/internal'
import { formatByError } from 'lacuna-figures/numbers'
import type { ExportedTable, ExportRequest } from '../../answers.ts'
import { modeTitle, recordedErrors } from '../summary.ts'
import type { AnsweringModel } from './answeringModel.ts'
import { CsvWriter } from './csvWriter.ts'
import { type IntervalAt, intervalFinder } from './intervals.ts'
import { parseQueries } from './parseQueries.ts'
import { thinEntries } from './validation.ts'

/** At most this number of cells is written to a table. */
export const MOST_CELLS = 1_000_000
/** Rankings are made for at most this number of rows. */
const MOST_RANKINGS = 5_000
/** The error is estimated from at most this number of entries. */
const ERROR_ENTRIES = 20_000
/** Half the width of a 90% interval is this number of standard deviations. */
const HALF_WIDTH = 1.6449

/** Writes the table that was asked for. */
export function exportTable(source: AnsweringModel, request: ExportRequest): ExportedTable {
  const { model, data } = source
  const write = new PredictionWriter(source)
  switch (request.kind) {
    case 'cells':
    case 'gaps': {
      checkCells(model.dims.reduce((product, dim) => product * dim, 1))
      const observed = cellValues(data, model.dims)
      forEachCell(model.dims, (coordinate, cell) => {
        if (request.kind === 'cells' || !observed.has(cell)) write.row(coordinate, observed.get(cell))
      })
      return write.end()
    }
    case 'observed': {
      if (!data) throw new InputError('option', 'A model that was opened as a file has no observed cells.')
      for (let e = 0; e < data.values.length; e++)
        write.row(
          data.indices.map((column) => column[e]),
          data.values[e],
        )
      return write.end()
    }
    case 'slice': {
      const { rows, columns, onlyGaps } = request
      const fixed = source.findRows(request.labels, [rows, columns])
      checkCells(model.dims[rows] * model.dims[columns])
      const observed = cellValues(data, model.dims)
      forEachCell([model.dims[rows], model.dims[columns]], ([row, column]) => {
        const coordinate = fixed.with(rows, row).with(columns, column)
        const value = observed.get(cellNumber(coordinate, model.dims))
        if (!onlyGaps || value === undefined) write.row(coordinate, value)
      })
      return write.end()
    }
    case 'wide':
      return wideTable(source, request)
    case 'top':
      return topTable(source, request)
    case 'queries': {
      const { queries, unknown } = parseQueries(request.text, source)
      for (const coordinate of queries)
        write.row(coordinate, data && cellValues(data, model.dims).get(cellNumber(coordinate, model.dims)))
      return write.end(
        unknown.length === 0
          ? undefined
          : `${unknown.length} rows are left out, whose labels the model does not know: ${unknown.slice(0, 3).join('; ')}${unknown.length > 3 ? ' …' : ''}.`,
      )
    }
  }
}

/** Writes a row per cell: its labels, observed value, prediction and interval. */
class PredictionWriter {
  readonly #source: AnsweringModel
  /** Per model, the finder of its intervals: rows of the user's own have those of the extended one. */
  readonly #finders = new Map<AnsweringModel['model'], IntervalAt | undefined>()
  readonly #error: number | undefined
  readonly #csv: CsvWriter

  constructor(source: AnsweringModel) {
    this.#source = source
    this.#error = typicalError(source)
    const titles = source.model.dims.map((_, mode) => modeTitle(source.model, mode))
    this.#csv = new CsvWriter([
      ...titles,
      'observed',
      'prediction',
      ...(this.#intervalOf(source.model) ? ['low', 'high'] : []),
    ])
  }

  #intervalOf(model: AnsweringModel['model']): IntervalAt | undefined {
    if (!this.#finders.has(model)) this.#finders.set(model, intervalFinder(model))
    return this.#finders.get(model)
  }

  /** Adds the row of a cell. */
  row(coordinate: readonly number[], observed: number | undefined): void {
    const { names, modelAt } = this.#source
    const model = modelAt(coordinate)
    const y = model.predict(coordinate)
    const interval = this.#intervalOf(model)?.(coordinate, y)
    const error = interval ? (interval.high - interval.low) / 2 / HALF_WIDTH : this.#error
    const ends = this.#intervalOf(this.#source.model) ? [interval?.low, interval?.high] : []
    this.#csv.row([
      ...coordinate.map((row, mode) => names.text(mode, row)),
      observed === undefined ? '' : numberAsText(observed),
      ...[y, ...ends].map((x) => (x === undefined ? '' : formatByError(x, error))),
    ])
  }

  /** Ends the table. */
  end(remark?: string): ExportedTable {
    return this.#csv.end(remark)
  }
}

/** A slice in its own shape: a row per row, a column per column; cells that were inferred end with `*`. */
function wideTable(
  source: AnsweringModel,
  { labels, rows, columns }: Extract<ExportRequest, { kind: 'wide' }>,
): ExportedTable {
  const { model, names, data } = source
  const fixed = source.findRows(labels, [rows, columns])
  checkCells(model.dims[rows] * model.dims[columns])
  const observed = cellValues(data, model.dims)
  const error = typicalError(source)
  const columnRows = rowsInOrder(source, columns)
  const csv = new CsvWriter([
    modeTitle(model, rows),
    ...columnRows.map((column) => names.text(columns, column)),
  ])
  for (const row of rowsInOrder(source, rows))
    csv.row([
      names.text(rows, row),
      ...columnRows.map((column) => {
        const coordinate = fixed.with(rows, row).with(columns, column)
        const value = observed.get(cellNumber(coordinate, model.dims))
        return value === undefined
          ? `${formatByError(source.modelAt(coordinate).predict(coordinate), error)}*`
          : numberAsText(value)
      }),
    ])
  return csv.end('Cells that end with * were not observed, and are inferred.')
}

/** Compares texts with the numbers in them as numbers: S2 before S10. */
const naturalOrder = new Intl.Collator('en', { numeric: true })

/**
 * The rows of a mode in the order of a table for people: that of the mode, but texts that are sorted letter by letter by the
 * numbers in them.
 */
function rowsInOrder({ model, names }: AnsweringModel, mode: number): number[] {
  const rows = Array.from({ length: model.dims[mode] }, (_, row) => row)
  const labels = model.labels?.[mode]
  const isByLetters = labels?.every(
    (label, row) => Number.isNaN(Number(label)) && (row === 0 || labels[row - 1] < label),
  )
  if (!isByLetters) return rows
  return rows.sort((a, b) => naturalOrder.compare(names.text(mode, a), names.text(mode, b)))
}

/** The best rows of a mode for each row of another one. */
function topTable(
  source: AnsweringModel,
  { mode, forMode, most, minEntries, skipObserved }: Extract<ExportRequest, { kind: 'top' }>,
): ExportedTable {
  const { model, names, data } = source
  const error = typicalError(source)
  const rankings = Math.min(MOST_RANKINGS, model.dims[forMode])
  const seen = new Map<number, Set<string>>()
  if (skipObserved && data)
    for (let e = 0; e < data.values.length; e++) {
      const row = data.indices[forMode][e]
      if (!seen.has(row)) seen.set(row, new Set())
      seen.get(row)!.add(model.label(mode, data.indices[mode][e]))
    }
  // A mean over other modes has no interval: the errors of its cells depend on each other in an unknown way.
  const averaged = model.dims.flatMap((_, m) => (m === mode || m === forMode ? [] : [modeTitle(model, m)]))
  const isCell = averaged.length === 0
  const hasIntervals = isCell && intervalFinder(model) !== undefined
  const csv = new CsvWriter([
    ...[modeTitle(model, forMode), 'rank', modeTitle(model, mode), 'prediction'],
    ...(hasIntervals ? ['low', 'high'] : []),
    'entries',
  ])
  for (let row = 0; row < rankings; row++) {
    const own = source.modelAt(model.dims.map((_, m) => (m === forMode ? row : undefined)))
    const intervalAt = hasIntervals ? intervalFinder(own) : undefined
    const ranked = own.top({
      for: { [modeName(model, forMode)]: model.label(forMode, row) },
      of: modeName(model, mode),
      n: most,
      minEntries,
      exclude: seen.get(row),
      clip: false,
    })
    ranked.forEach(({ row: found, predicted, entries }, i) => {
      const cell = model.dims.map((_, m) => (m === mode ? found : row))
      const interval = intervalAt?.(cell, own.range ? clamp(predicted, own.range) : predicted)
      const digits = interval ? (interval.high - interval.low) / 2 / HALF_WIDTH : error
      csv.row([
        ...[names.text(forMode, row), String(i + 1), names.text(mode, found)],
        formatByError(predicted, digits),
        ...(hasIntervals
          ? [interval?.low, interval?.high].map((x) => (x === undefined ? '' : formatByError(x, digits)))
          : []),
        String(entries ?? ''),
      ])
    })
  }
  const left = model.dims[forMode] - rankings
  const remarks = [
    ...(left > 0 ? [`${left} rows are left out; lacuna top --for-all makes all rankings.`] : []),
    ...(!isCell && intervalFinder(model)
      ? [`There are no intervals, since predictions are averaged over ${averaged.join(' and ')}.`]
      : []),
  ]
  return csv.end(remarks.length > 0 ? remarks.join(' ') : undefined)
}

/** A number limited to a range. */
const clamp = (x: number, [low, high]: readonly [number, number]): number => Math.min(high, Math.max(low, x))

/**
 * The root mean square error at held-out entries, else that of the model's training record, else that at some of the
 * observed entries; undefined if there are none.
 */
function typicalError({ model, data, heldOut: findHeldOut }: AnsweringModel): number | undefined {
  const heldOut = findHeldOut?.()
  const hasHeldOut = heldOut !== undefined && heldOut.values.length > 0
  const { validation, train } = recordedErrors(model)
  const recorded = (validation ?? train)?.rmse
  if (!hasHeldOut && recorded !== undefined) return recorded
  const entries = hasHeldOut ? heldOut : data
  if (!entries || entries.values.length === 0) return undefined
  const { indices, values } = thinEntries(entries, ERROR_ENTRIES)
  const predicted = model.predictMany(indices)
  const squares = values.reduce((sum, x, e) => sum + (x - predicted[e]) ** 2, 0)
  return Math.sqrt(squares / values.length)
}

/** Throws if there are too many cells for a table. */
function checkCells(cells: number): void {
  if (cells > MOST_CELLS)
    throw new InputError(
      'memory',
      `These are ${cells.toLocaleString('en')} cells, more than the ${MOST_CELLS.toLocaleString('en')} of a table; save a slice, rankings or queries instead.`,
    )
}

/** Calls `visit` with the indices and the number of every cell; the last index varies fastest. */
function forEachCell(dims: readonly number[], visit: (coordinate: number[], cell: number) => void): void {
  const cells = dims.reduce((product, dim) => product * dim, 1)
  for (let cell = 0; cell < cells; cell++) {
    const coordinate = new Array<number>(dims.length)
    let rest = cell
    for (let mode = dims.length - 1; mode >= 0; mode--) {
      coordinate[mode] = rest % dims[mode]
      rest = Math.floor(rest / dims[mode])
    }
    visit(coordinate, cell)
  }
}

/** The number of a cell; the last index varies fastest. */
const cellNumber = (coordinate: readonly number[], dims: readonly number[]): number =>
  dims.reduce((cell, dim, mode) => cell * dim + coordinate[mode], 0)

/** Cache of `cellValues`, by tensor. */
const valuesOfCells = new WeakMap<SparseTensor, Map<number, number>>()

/** Observed values by the number of their cell. */
function cellValues(data: SparseTensor | undefined, dims: readonly number[]): Map<number, number> {
  if (!data) return new Map()
  const cached = valuesOfCells.get(data)
  if (cached) return cached
  const cells = new Map<number, number>()
  for (let e = 0; e < data.values.length; e++)
    cells.set(
      dims.reduce((cell, dim, mode) => cell * dim + data.indices[mode][e], 0),
      data.values[e],
    )
  valuesOfCells.set(data, cells)
  return cells
}
