/** Questions to a model, answered in the worker. */
import { type CpModel, InputError, type SparseTensor } from 'lacuna'
import { type FactorMode, factorModes } from '#dist/model/factorModes.js'
import { rowAt } from '#dist/tensor/arrangement.js'
import { componentOrder, componentWeights } from '../solving/warmStart.ts'
import type { Component, Prediction, Ranked, Slice } from './protocol.ts'
import { modeName } from './summary.ts'

const STRONGEST = 5
const PROFILE_POINTS = 120
/** Rows and columns that a slice shows at most. */
const SLICE_SIDE = 64

export const labelOf = ({ labels }: Pick<CpModel, 'labels'>, mode: number, index: number): string =>
  labels?.[mode]?.[index] ?? String(index + 1)

/** The index that a label stands for; in a mode without labels, the number counted from 1. */
export function indexOf(model: CpModel, mode: number, label: string): number {
  const labels = model.labels?.[mode]
  const index = labels ? labels.indexOf(label) : Number(label.trim() || Number.NaN) - 1
  if (Number.isInteger(index) && index >= 0 && index < model.dims[mode]) return index
  throw new InputError(
    'option',
    labels
      ? `There is no “${label}” in ${modeName(model, mode)}; pick one of the suggestions.`
      : `“${label}” is no row of ${modeName(model, mode)}; give a whole number from 1 to ${model.dims[mode]}.`,
  )
}

/** Labels that begin with or contain a text. */
export function suggest(model: CpModel, mode: number, text: string, most = 30): string[] {
  const labels = model.labels?.[mode]
  if (!labels) return []
  const wanted = text.toLowerCase()
  const [begin, contain]: [string[], string[]] = [[], []]
  for (const label of labels) {
    const at = label.toLowerCase().indexOf(wanted)
    if (at === 0) begin.push(label)
    else if (at > 0 && contain.length < most) contain.push(label)
    if (begin.length >= most) break
  }
  return [...begin, ...contain].slice(0, most)
}

export function components(model: CpModel): Component[] {
  const modes = factorModes(model)
  const weights = componentWeights(model)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return componentOrder(model).map((r, place) => ({
    number: place + 1,
    share: total > 0 ? weights[r] / total : 0,
    modes: modes.map((mode, k) => describeColumn(model, k, mode, r)),
  }))
}

/** r, of the factor k. */
function describeColumn(
  { rank, factors }: CpModel,
  k: number,
  { name, size, labelOf }: FactorMode,
  r: number,
): Component['modes'][number] {
  const column = Float32Array.from({ length: size }, (_, row) => factors[k][row * rank + r])
  const order = strongestRows(column, STRONGEST)
  const largest = column[order[0]] || 1
  const step = Math.max(1, column.length / PROFILE_POINTS)
  const points = Math.min(column.length, PROFILE_POINTS)
  return {
    name,
    size,
    strongest: order.map((row) => ({
      label: labelOf(row) ?? String(row + 1),
      weight: column[row] / largest,
    })),
    profile: Array.from({ length: points }, (_, p) => {
      let peak = 0
      for (let row = Math.floor(p * step); row < Math.floor((p + 1) * step); row++)
        peak = Math.max(peak, column[row])
      return peak / largest
    }),
  }
}

/** The rows of the largest values, in one pass. */
function strongestRows(column: Float32Array, most: number): number[] {
  const best: number[] = []
  for (let row = 0; row < column.length; row++) {
    if (best.length === most && column[row] <= column[best[most - 1]]) continue
    best.push(row)
    best.sort((a, b) => column[b] - column[a] || a - b)
    if (best.length > most) best.pop()
  }
  return best
}

export function predict(model: CpModel, data: SparseTensor | undefined, coordinate: number[]): Prediction {
  const observed = data && valueAt(data, coordinate)
  return {
    predicted: model.predict(coordinate),
    ...(observed !== undefined && { observed }),
    unseen: factorModes(model).flatMap(({ name }, k) =>
      model.unobserved[k].includes(rowAt(model.arrangedModes.digits[k], coordinate)) ? [name] : [],
    ),
  }
}

/** The largest predictions along a mode, the other indices being fixed. */
export function top(
  model: CpModel,
  data: SparseTensor | undefined,
  coordinate: number[],
  mode: number,
  most: number,
  skipObserved: boolean,
): Ranked[] {
  const { values } = model.slice(coordinate.map((index, m) => (m === mode ? null : index)))
  const observed = data ? valuesAlong(data, coordinate, mode) : new Map<number, number>()
  const candidates = Float32Array.from(values, (value, row) =>
    skipObserved && observed.has(row) ? -1 : value,
  )
  return strongestRows(candidates, most)
    .filter((row) => candidates[row] >= 0)
    .map((row) => {
      const seen = observed.get(row)
      return {
        label: labelOf(model, mode, row),
        predicted: values[row],
        ...(seen !== undefined && { observed: seen }),
      }
    })
}

/**
 * A matrix of the tensor: two modes free, the others fixed. Where there are too many rows, those with most
 * entries.
 */
export function slice(
  model: CpModel,
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
    rows: rows.map((row) => labelOf(model, rowMode, row)),
    columns: columns.map((column) => labelOf(model, columnMode, column)),
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

function valueAt(data: SparseTensor, coordinate: number[]): number | undefined {
  const [entry] = entriesOf(data, coordinate, [])
  return entry === undefined ? undefined : data.values[entry]
}

function valuesAlong(data: SparseTensor, coordinate: number[], mode: number): Map<number, number> {
  return new Map(entriesOf(data, coordinate, [mode]).map((e) => [data.indices[mode][e], data.values[e]]))
}
