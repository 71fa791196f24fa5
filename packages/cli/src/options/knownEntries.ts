/** Entries from files, by the rows of a model. */

import type { SparseTensor } from 'lacuna'
import { isTableFile, type TensorModel } from 'lacuna/internal'
import type { Progress } from '../print/terminal.ts'
import { type ReadingOptions, readWithProgress } from './readTensor.ts'

/** The entries of a file that the model knows the labels of; others are left out, which is said. */
export function readKnownEntries(
  file: string,
  model: TensorModel,
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const like = model.modes ? { like: model, ...(model.labels && { dims: model.dims }) } : { dims: model.dims }
  return readWithProgress([file], { ...asLearned([file], model, options), ...options, ...like }, progress)
}

/**
 * All entries of files, the columns meaning what they mean to the model; rows and labels that are new to it
 * stay.
 */
export function readNewEntries(
  files: readonly string[],
  model: TensorModel,
  options: ReadingOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const like = model.modes && { like: model, newLabels: true }
  return readWithProgress(files, { ...asLearned(files, model, options), ...options, ...like }, progress)
}

/** The column of values that the model was learned from; where rows were counted, they are here, too. */
function asLearned(files: readonly string[], model: TensorModel, options: ReadingOptions): ReadingOptions {
  const { value, modes, melt, recipe } = options
  const isTable = files.length > 0 && files.every(isTableFile)
  if (!isTable || value !== undefined || melt !== undefined || recipe !== undefined) return {}
  const learned = model.training.value
  if (typeof learned === 'string') return { value: learned }
  return model.modes && !modes ? { modes: model.modes.map(({ name }) => name) } : {}
}

/**
 * Which rows of some modes meet in a file, whatever it says of them: its table needs no columns for the other
 * modes, whose indices are then none.
 */
export async function readMeetings(
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
    ...(labels && { labels: wanted.map((mode) => labels[mode]) }),
  }
  const found = await readWithProgress(
    [file],
    { like, dims: like.dims, modes: like.modes.map(({ name }) => name), merge: 'count' },
    progress,
  )
  const none = new Uint32Array(found.values.length)
  return {
    ...found,
    dims,
    modes,
    labels,
    indices: dims.map((_, mode) => found.indices[wanted.indexOf(mode)] ?? none),
  }
}
