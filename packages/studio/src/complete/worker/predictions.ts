import type { SparseTensor } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import type { TensorModel } from 'lacuna/internal'
import { float32Text } from '../numbers.ts'
import { LEVEL } from './explore.ts'
import { modeName } from './summary.ts'

/** With so many cells at the most, all of them are predicted; else those observed. */
const MOST_CELLS = 1_000_000
const ROWS_PER_PIECE = 10_000

/**
 * A table of predictions: the modes, what was observed (empty where nothing was), what the model says, and of models of folds the
 * ends of intervals of 90%.
 */
export function predictionsCsv(model: TensorModel, data: SparseTensor | undefined): Blob {
  const cells = model.dims.reduce((product, dim) => product * dim, 1)
  const around = model instanceof CpEnsemble && model.intervals ? model.intervalsAt(LEVEL) : undefined
  const names = model.dims.map((_, mode) => quoted(modeName(model, mode)))
  const pieces: string[] = [
    `${[...names, 'observed', 'prediction', ...(around ? ['low', 'high'] : [])].join()}\n`,
  ]
  const labels = model.dims.map((size, mode) =>
    Array.from({ length: size }, (_, row) => quoted(model.label(mode, row))),
  )
  let piece = ''
  let rows = 0
  const add = (coordinate: number[], observed: number | undefined): void => {
    const cell = coordinate.map((index, mode) => labels[mode][index])
    const seen = observed === undefined ? '' : float32Text(observed)
    const y = model.predict(coordinate)
    const ends = around?.(coordinate, y)
    const said = [y, ...(ends ? [ends.low, ends.high] : [])].map(float32Text)
    piece += `${[...cell, seen, ...said].join()}\n`
    if (++rows % ROWS_PER_PIECE === 0) {
      pieces.push(piece)
      piece = ''
    }
  }
  if (cells <= MOST_CELLS) {
    const observed = data ? observedCells(data) : new Map<number, number>()
    for (let cell = 0; cell < cells; cell++) add(coordinateOf(cell, model.dims), observed.get(cell))
  } else if (data)
    for (let e = 0; e < data.values.length; e++)
      add(
        data.indices.map((column) => column[e]),
        data.values[e],
      )
  return new Blob([...pieces, piece], { type: 'text/csv' })
}

/** Values by the number of their cell, the last index running fastest. */
function observedCells({ dims, indices, values }: SparseTensor): Map<number, number> {
  const cells = new Map<number, number>()
  for (let e = 0; e < values.length; e++)
    cells.set(
      dims.reduce((cell, dim, mode) => cell * dim + indices[mode][e], 0),
      values[e],
    )
  return cells
}

function coordinateOf(cell: number, dims: readonly number[]): number[] {
  const coordinate = new Array<number>(dims.length)
  for (let mode = dims.length - 1; mode >= 0; mode--) {
    coordinate[mode] = cell % dims[mode]
    cell = Math.floor(cell / dims[mode])
  }
  return coordinate
}

const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
