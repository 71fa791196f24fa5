/**
 * Reads files of named arrays (MATLAB, HDF5, NetCDF-4) in the page, by the readers of the library. This module is loaded
 * when the first such file is opened, and h5wasm (4 MB) when the first one is HDF5.
 */
import { InputError, type SparseTensor } from 'lacuna'
import {
  dataVariables,
  describeVariable,
  guessVariable,
  labelOf,
  modeName,
  openArrays,
  readVariable,
  type TensorModel,
} from 'lacuna/internal'
import type { ArrayList, ReadSettings } from '../protocol.ts'

/** The most arrays to choose from. */
const MOST_LISTED = 200

/** Runs work on an opened file of arrays, and closes it. @param maxBytes that an array may take */
async function withArrays<T>(
  file: File,
  maxBytes: number,
  work: (arrays: Awaited<ReturnType<typeof openArrays>>) => T | Promise<T>,
): Promise<T> {
  const { name } = file
  if (/\.zarr(\.zip)?$/i.test(name))
    throw new InputError(
      'option',
      `${name}: the studio does not open Zarr; complete it on the command line, or save the array as .nc or .h5.`,
    )
  const arrays = await openArrays(new Uint8Array(await file.arrayBuffer()), name, { maxBytes })
  try {
    return await work(arrays)
  } finally {
    arrays.close()
  }
}

/** The arrays of a file that may be the data; undefined unless there are several. */
export const listArrays = (file: File, maxBytes: number): Promise<ArrayList | undefined> =>
  withArrays(file, maxBytes, (arrays) => {
    const candidates = dataVariables(arrays)
    if (candidates.length < 2) return undefined
    return {
      count: candidates.length,
      listed: candidates
        .slice(0, MOST_LISTED)
        .map((array) => ({ name: array.name, text: describeVariable(array) })),
      guess: guessVariable(candidates)?.name,
    }
  })

/**
 * Reads an array of a file as a tensor.
 * @param like a model: the labels of the array must be those of its rows
 */
export async function readArray(
  file: File,
  { variable, negative, merge }: ReadSettings,
  maxBytes: number,
  like?: TensorModel,
): Promise<{ tensor: SparseTensor; remarks: string[] }> {
  const remarks: string[] = []
  const duplicates = merge === 'count' ? 'sum' : merge
  const tensor = await withArrays(file, maxBytes, (arrays) =>
    readVariable(arrays, {
      ...{ variable, negative, duplicates, maxBytes },
      onRemark: ({ text }) => remarks.push(text),
    }),
  )
  if (like) checkRows(tensor, like, file.name)
  return { tensor, remarks }
}

/** Throws if a row of an array is called otherwise than that of a model at the same index. */
function checkRows(tensor: SparseTensor, model: TensorModel, name: string): void {
  tensor.labels?.forEach((labels, mode) => {
    const known = model.labels?.[mode]
    const row = known && labels ? labels.findIndex((label, i) => known[i] !== label) : -1
    if (row >= 0)
      throw new InputError(
        'table',
        `${name}: the row ${labelOf(tensor, mode, row)} of ${modeName(tensor, mode)} is not that of the model; a test file needs the same axes.`,
      )
  })
}
