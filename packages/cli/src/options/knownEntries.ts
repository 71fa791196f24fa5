/** Reads the entries of files by the modes and labels of a model. */
import type { SparseTensor } from 'lacuna'
import { isTableFile, type TensorModel } from 'lacuna/internal'
import type { Progress } from '../print/terminal.ts'
import { type ReadingOptions, readWithProgress } from './readTensor.ts'

/** Reads the entries of a file whose labels the model has; others are left out, with a notice. */
export function readKnownEntries(
  file: string,
  model: TensorModel,
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const like = model.modes ? { like: model, ...(model.labels && { dims: model.dims }) } : { dims: model.dims }
  return readWithProgress(
    [file],
    { ...trainingColumns([file], model, options), ...options, ...like },
    progress,
  )
}

/** Reads all entries of files with the model's columns; labels that are new to the model are kept. */
export function readNewEntries(
  files: readonly string[],
  model: TensorModel,
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const like = model.modes && { like: model, newLabels: true }
  return readWithProgress(files, { ...trainingColumns(files, model, options), ...options, ...like }, progress)
}

/**
 * Table options by which the model was trained: its column of values, or its modes alone, so that rows are
 * counted. None if files are no tables or the options name a value, a melt or a recipe.
 */
function trainingColumns(
  files: readonly string[],
  model: TensorModel,
  options: ReadingOptions,
): ReadingOptions {
  const { value, modes, melt, recipe } = options
  const isTable = files.length > 0 && files.every(isTableFile)
  if (!isTable || value !== undefined || melt !== undefined || recipe !== undefined) return {}
  const trained = model.training.value
  if (typeof trained === 'string') return { value: trained }
  return model.modes && !modes ? { modes: model.modes.map(({ name }) => name) } : {}
}

/**
 * Reads which rows of some modes occur together in a file, as entries of the model's sizes. A table needs no
 * columns for the other modes, whose indices are then 0.
 * @param wanted the modes, from 0
 */
export async function readCooccurrences(
  file: string,
  model: TensorModel,
  wanted: readonly number[],
  progress: Progress,
): Promise<SparseTensor> {
  if (!model.modes || !isTableFile(file) || wanted.length < 2)
    return readKnownEntries(file, model, {}, progress)
  const { modes, labels, dims } = model
  const like = {
    dims: wanted.map((mode) => dims[mode]),
    modes: wanted.map((mode) => modes[mode]),
    labels: labels && wanted.map((mode) => labels[mode]),
  }
  const found = await readWithProgress(
    [file],
    { like, dims: like.dims, modes: like.modes.map(({ name }) => name), merge: 'count' },
    progress,
  )
  const zeros = new Uint32Array(found.values.length)
  return {
    ...found,
    dims,
    modes,
    labels,
    indices: dims.map((_, mode) => found.indices[wanted.indexOf(mode)] ?? zeros),
  }
}
