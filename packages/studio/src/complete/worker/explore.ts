/** Questions to a model, answered in the worker: what the page shows of the library's answers. */
import type { SparseTensor } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import { factorModes, modesAsLearned, rowAt, type TensorModel, valuesAlong } from 'lacuna/internal'
import type { Component, Prediction, Ranked, Slice } from './protocol.ts'
import { modeName } from './summary.ts'

const STRONGEST = 5
/** The chance with which an interval holds the value. */
export const LEVEL = 0.9
const PROFILE_POINTS = 120
/** Rows and columns that a slice shows at most. */
const SLICE_SIDE = 64

export function components(model: TensorModel): Component[] {
  return model.components({ strongest: STRONGEST }).map(({ number, share, found, modes }) => ({
    number,
    share,
    ...(found && { found }),
    modes: modes.map(({ name, modes, strongest, profile }) => ({
      name: model.modes ? name : modes.map((mode) => modeName(model, mode)).join(' × '),
      modes,
      size: profile.length,
      strongest: strongest.map(({ label, labels, weight, lift }) => ({ label, labels, weight, lift })),
      profile: peaks(profile),
    })),
  }))
}

/** The largest of each of as many parts as can be drawn. */
function peaks(profile: Float32Array): number[] {
  const step = Math.max(1, profile.length / PROFILE_POINTS)
  return Array.from({ length: Math.min(profile.length, PROFILE_POINTS) }, (_, p) => {
    let peak = 0
    for (let row = Math.floor(p * step); row < Math.floor((p + 1) * step); row++)
      peak = Math.max(peak, profile[row])
    return peak
  })
}

export function predict(
  model: TensorModel,
  data: SparseTensor | undefined,
  coordinate: number[],
): Prediction {
  const observed = data && valuesAlong(data, coordinate, 0).get(coordinate[0])
  const { digits } = modesAsLearned(model)
  const interval = model instanceof CpEnsemble && model.intervals && model.interval(coordinate, LEVEL)
  return {
    predicted: model.predict(coordinate),
    ...(interval && { interval: { low: interval.low, high: interval.high, level: LEVEL } }),
    ...(observed !== undefined && { observed }),
    unseen: factorModes(model).flatMap(({ name }, k) =>
      model.unobserved[k].includes(rowAt(digits[k], coordinate)) ? [name] : [],
    ),
  }
}

/** The largest predictions along a mode, the other indices being fixed. */
export function top(
  model: TensorModel,
  data: SparseTensor | undefined,
  coordinate: number[],
  mode: number,
  most: number,
  { skipObserved, minEntries }: { skipObserved: boolean; minEntries: number },
): Ranked[] {
  const observed = data ? valuesAlong(data, coordinate, mode) : new Map<number, number>()
  const names = model.dims.map((_, m) => model.modes?.[m]?.name ?? `mode_${m + 1}`)
  const others = coordinate.flatMap((row, m) =>
    m === mode ? [] : [[names[m], model.label(m, row)] as const],
  )
  const ranked = model.top({
    for: Object.fromEntries(others),
    of: names[mode],
    n: most,
    minEntries,
    ...(skipObserved && data && { exclude: data }),
  })
  return ranked.map(({ row, label, predicted, entries, why }) => {
    const seen = observed.get(row)
    return {
      label,
      predicted,
      ...(entries !== undefined && { entries }),
      components: why.map(({ component }) => component),
      ...(seen !== undefined && { observed: seen }),
    }
  })
}

/**
 * A matrix of the tensor: two modes free, the others fixed. Where there are too many rows, those with most
 * entries.
 */
export function slice(
  model: TensorModel,
  data: SparseTensor | undefined,
  coordinate: number[],
  rowMode: number,
  columnMode: number,
): Slice {
  const inSlice = data ? entriesOf(data, coordinate, [rowMode, columnMode]) : []
  const rows = shownRows(model.dims[rowMode], inSlice, data?.indices[rowMode])
  const columns = shownRows(model.dims[columnMode], inSlice, data?.indices[columnMode])
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
  const rowPlace = new Map(rows.map((row, i) => [row, i]))
  const columnPlace = new Map(columns.map((column, j) => [column, j]))
  for (const e of inSlice) {
    const i = rowPlace.get(data!.indices[rowMode][e])
    const j = columnPlace.get(data!.indices[columnMode][e])
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

/** All rows if they can be seen, else those with most entries in the slice, in their order. */
function shownRows(size: number, entries: readonly number[], column: Uint32Array | undefined): number[] {
  if (size <= SLICE_SIDE) return Array.from({ length: size }, (_, row) => row)
  const counts = new Map<number, number>()
  if (column) for (const e of entries) counts.set(column[e], (counts.get(column[e]) ?? 0) + 1)
  const busiest = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, SLICE_SIDE)
  const rows = new Set(busiest.map(([row]) => row))
  for (let row = 0; rows.size < SLICE_SIDE; row++) rows.add(row)
  return [...rows].sort((a, b) => a - b)
}

/** The entries that have the coordinate's indices in all modes but the free ones. */
function entriesOf({ indices, values }: SparseTensor, coordinate: number[], free: number[]): number[] {
  const fixed = coordinate.flatMap((index, mode) =>
    free.includes(mode) ? [] : [{ column: indices[mode], index }],
  )
  const found: number[] = []
  for (let e = 0; e < values.length; e++)
    if (fixed.every(({ column, index }) => column[e] === index)) found.push(e)
  return found
}
