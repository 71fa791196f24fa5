/** The table of a forecast: a row per future cell, with prediction and interval. */
import { InputError } from 'lacuna'
import type { ForecastIntervals } from 'lacuna/forecast'
import { labelOf, modeName, type OutputColumn, type OutputRow, type TensorModel } from 'lacuna/internal'
import type { Assignment } from '../../options/rowNames.ts'
import { formatCount } from '../../print/format.ts'

/** Most rows of a table. */
const MOST_ROWS = 2e7
/** Rows that are computed at a time. */
const BATCH = 4096

/** The cells of a forecast table and the model that predicts them. */
export interface ForecastRows {
  /** The model, with rows in the future. */
  model: TensorModel
  /** The mode of time that was extended. */
  mode: number
  /** Its first row in the future. */
  first: number
  /** Per mode, the rows of the table. */
  rows: readonly (readonly number[])[]
  /** Intervals, if there are any. */
  intervals?: ForecastIntervals
}

/**
 * The rows of each mode whose cells are asked for: those of --for, and all of the others; of the mode of time those
 * in the future. Throws if there is no such row, or the table would be enormous.
 */
export function rowsAsked(
  { model, mode, first }: Pick<ForecastRows, 'model' | 'mode' | 'first'>,
  given: readonly Assignment[],
): number[][] {
  const asked = model.dims.map((): number[] => [])
  for (const { mode: name, text } of given) {
    const m = model.lookup.mode(name)
    if (text === undefined)
      throw new InputError(
        'option',
        `--for ${name}: say which row is meant, as in ${name}=${labelOf(model, m, 0)}.`,
      )
    const row = model.lookup.row(m, text)
    if (m === mode && row < first)
      throw new InputError(
        'option',
        `--for ${name}=${text}: this row is not in the future; the first that is forecast is ${labelOf(model, m, first)}.`,
      )
    asked[m].push(row)
  }
  const rows = asked.map((own, m) => {
    if (own.length > 0) return own
    const start = m === mode ? first : 0
    return Array.from({ length: model.dims[m] - start }, (_, at) => start + at)
  })
  const count = rows.reduce((product, { length }) => product * length, 1)
  if (count > MOST_ROWS)
    throw new InputError(
      'option',
      `The forecast has ${formatCount(count)} cells, too many for a table; limit it by --for ${modeName(model, mode === 0 ? 1 : 0)}=${labelOf(model, mode === 0 ? 1 : 0, 0)}.`,
    )
  return rows
}

/** The columns of the table: labels of all modes, prediction and interval. */
export const forecastColumns = ({ model, intervals }: ForecastRows): OutputColumn[] => [
  ...model.dims.map(
    (_, mode): OutputColumn => ({
      name: modeName(model, mode),
      kind: 'text',
      type: model.modes?.[mode]?.type ?? 'BIGINT',
    }),
  ),
  { name: 'prediction', kind: 'number' },
  ...(intervals ? (['low', 'high'] as const).map((name): OutputColumn => ({ name, kind: 'number' })) : []),
]

/** Rows of the table in batches. */
export function* forecastRows({ model, mode, first, rows, intervals }: ForecastRows): Generator<OutputRow[]> {
  const count = rows.reduce((product, { length }) => product * length, 1)
  // Lower ends of intervals are cut at zero if no observed value is negative.
  const least = (model.observed?.min ?? 0) >= 0 ? 0 : -Infinity
  for (let start = 0; start < count; start += BATCH) {
    const size = Math.min(BATCH, count - start)
    const indices = rows.map(() => new Uint32Array(size))
    for (let i = 0; i < size; i++) {
      let rest = start + i
      for (let m = rows.length - 1; m >= 0; m--) {
        indices[m][i] = rows[m][rest % rows[m].length]
        rest = Math.floor(rest / rows[m].length)
      }
    }
    const predictions = model.predictMany(indices)
    const cell = new Uint32Array(rows.length)
    yield Array.from(predictions, (y, i): OutputRow => {
      const labels = indices.map((column, m) => labelOf(model, m, column[i]))
      if (!intervals) return [...labels, y]
      for (let m = 0; m < cell.length; m++) cell[m] = indices[m][i] - (m === mode ? first : 0)
      const [low, high] = intervals.around(cell, y)
      return [...labels, y, Math.min(y, Math.max(least, low)), Math.max(y, high)]
    })
  }
}
