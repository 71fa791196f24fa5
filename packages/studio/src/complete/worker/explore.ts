/** Queries about a model in the worker, reduced to what the page shows. */
import type { SparseTensor } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import { factorModes, modeName, modesAsLearned, rowAt, type TensorModel, valuesAlong } from 'lacuna/internal'
import type { Component, Prediction, Ranked, Slice } from '../protocol.ts'
import { modeTitle } from './summary.ts'

/** The number of characteristic rows that are shown per mode of a component. */
const STRONGEST = 5
/** The probability with which an interval contains the value. */
export const INTERVAL_LEVEL = 0.9
/** The largest number of points of a component's profile. */
const PROFILE_POINTS = 120
/** The largest number of rows, and of columns, of a slice. */
const SLICE_SIDE = 64

/** Returns the components for the page, by decreasing share of the predictions. */
export function listComponents(model: TensorModel): Component[] {
  return model.components({ strongest: STRONGEST }).map(({ number, share, found, modes }) => ({
    number,
    share,
    found,
    modes: modes.map(({ name, modes, strongest, profile }) => ({
      name: model.modes ? name : modes.map((mode) => modeTitle(model, mode)).join(' × '),
      modes,
      size: profile.length,
      strongest: strongest.map(({ label, labels, weight, lift }) => ({ label, labels, weight, lift })),
      profile: reduceProfile(profile),
    })),
  }))
}

/** Reduces a profile to PROFILE_POINTS points: the largest value of each interval of rows. */
function reduceProfile(profile: Float32Array): number[] {
  const step = Math.max(1, profile.length / PROFILE_POINTS)
  return Array.from({ length: Math.min(profile.length, PROFILE_POINTS) }, (_, p) => {
    let peak = 0
    for (let row = Math.floor(p * step); row < Math.floor((p + 1) * step); row++)
      peak = Math.max(peak, profile[row])
    return peak
  })
}

/** The prediction of a cell, with its interval and its observed value if there are any. */
export function predictCell(
  model: TensorModel,
  data: SparseTensor | undefined,
  coordinate: number[],
): Prediction {
  const observed = data && valuesAlong(data, coordinate, 0).get(coordinate[0])
  const { digits } = modesAsLearned(model)
  const predicted = model.predict(coordinate)
  const interval =
    model instanceof CpEnsemble && model.intervals
      ? model.intervalsAt(INTERVAL_LEVEL)(coordinate, predicted)
      : undefined
  return {
    predicted,
    ...(interval &&
      !Number.isNaN(interval.low) && {
        interval: { low: interval.low, high: interval.high, level: INTERVAL_LEVEL },
      }),
    observed,
    unobservedModes: factorModes(model).flatMap(({ name }, k) =>
      model.unobserved[k].includes(rowAt(digits[k], coordinate)) ? [name] : [],
    ),
  }
}

/**
 * Returns the rows of a mode with the largest predictions.
 * @param coordinate the fixed rows of the other modes
 * @param most the number of rows
 * @param filter skipObserved: leaves out rows whose cell was observed; minEntries: and rows with fewer
 * training entries
 */
export function rankRows(
  model: TensorModel,
  data: SparseTensor | undefined,
  coordinate: number[],
  mode: number,
  most: number,
  filter: { skipObserved: boolean; minEntries: number },
): Ranked[] {
  const { skipObserved, minEntries } = filter
  const observed = data ? valuesAlong(data, coordinate, mode) : new Map<number, number>()
  const names = model.dims.map((_, m) => modeName(model, m))
  const others = coordinate.flatMap((row, m) =>
    m === mode ? [] : [[names[m], model.label(m, row)] as const],
  )
  const ranked = model.top({
    for: Object.fromEntries(others),
    of: names[mode],
    n: most,
    minEntries,
    exclude: skipObserved ? data : undefined,
  })
  return ranked.map(({ row, label, predicted, entries, why }) => ({
    ...{ label, predicted, entries },
    components: why.map(({ component }) => component),
    observed: observed.get(row),
  }))
}

/**
 * A matrix of the tensor, observed and predicted: two modes vary, the others are fixed. A mode with more than
 * 64 rows is reduced to those with most entries in the slice.
 */
export function readSlice(
  model: TensorModel,
  data: SparseTensor | undefined,
  coordinate: number[],
  rowMode: number,
  columnMode: number,
): Slice {
  const inSlice = data ? findEntries(data, coordinate, [rowMode, columnMode]) : []
  const rows = selectRows(model.dims[rowMode], inSlice, data?.indices[rowMode])
  const columns = selectRows(model.dims[columnMode], inSlice, data?.indices[columnMode])
  const predicted = new Float32Array(rows.length * columns.length)
  const observed = new Float32Array(predicted.length).fill(Number.NaN)
  const at = [...coordinate]
  rows.forEach((row, i) => {
    at[rowMode] = row
    columns.forEach((column, j) => {
      at[columnMode] = column
      predicted[i * columns.length + j] = model.predict(at)
    })
  })
  const rowPosition = new Map(rows.map((row, i) => [row, i]))
  const columnPosition = new Map(columns.map((column, j) => [column, j]))
  for (const e of inSlice) {
    const i = rowPosition.get(data!.indices[rowMode][e])
    const j = columnPosition.get(data!.indices[columnMode][e])
    if (i !== undefined && j !== undefined) observed[i * columns.length + j] = data!.values[e]
  }
  return {
    rows: rows.map((row) => model.label(rowMode, row)),
    columns: columns.map((column) => model.label(columnMode, column)),
    observed,
    predicted,
    hiddenRows: model.dims[rowMode] - rows.length,
    hiddenColumns: model.dims[columnMode] - columns.length,
  }
}

/**
 * Returns the rows of a mode that a slice shows, ascending: all if they are at most SLICE_SIDE, else those
 * with most entries.
 * @param entries the numbers of the entries in the slice
 * @param column the row of every entry of the data
 */
function selectRows(size: number, entries: readonly number[], column: Uint32Array | undefined): number[] {
  if (size <= SLICE_SIDE) return Array.from({ length: size }, (_, row) => row)
  const counts = new Map<number, number>()
  if (column) for (const e of entries) counts.set(column[e], (counts.get(column[e]) ?? 0) + 1)
  const busiest = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, SLICE_SIDE)
  const rows = new Set(busiest.map(([row]) => row))
  for (let row = 0; rows.size < SLICE_SIDE; row++) rows.add(row)
  return [...rows].sort((a, b) => a - b)
}

/** The numbers of the entries that have the coordinate's indices in all modes but the free ones. */
function findEntries({ indices, values }: SparseTensor, coordinate: number[], free: number[]): number[] {
  const fixed = coordinate.flatMap((index, mode) =>
    free.includes(mode) ? [] : [{ column: indices[mode], index }],
  )
  const found: number[] = []
  for (let e = 0; e < values.length; e++)
    if (fixed.every(({ column, index }) => column[e] === index)) found.push(e)
  return found
}
