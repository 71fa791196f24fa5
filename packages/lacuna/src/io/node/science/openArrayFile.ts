/** Opens files of named arrays by path: MATLAB, HDF5, NetCDF-4, Zarr. The first bytes determine the format. */
import { stat } from 'node:fs/promises'
import { InputError } from '../../../base/inputError.ts'
import { type ArrayFile, openArrays, openZarr, type VariableInfo } from '../../science/index.ts'
import { hasEnding } from '../../text/index.ts'
import { type Input, maxFileBytes, openInput, readWhole } from '../files/index.ts'
import { folderStore, zipStore } from './zarrStore.ts'

/** Endings of Zarr stores. */
const ZARR = ['.zarr', '.zarr/']

/** Whether a path names a Zarr store: a folder, or a zip of one. */
export const isZarr = (path: string): boolean => hasEnding(path, [...ZARR, '.zarr.zip'])

/** Opens a file of arrays, or a folder of Zarr; throws if it is damaged, or of a format that cannot be read. */
export async function openArrayFile(
  path: string,
  input?: Input,
  onProgress?: (bytesRead: number, byteLength: number) => void,
): Promise<ArrayFile> {
  const maxBytes = maxFileBytes()
  if (isZarr(path)) return openZarr(await zarrStore(path, maxBytes), path, { maxBytes })
  const opened = input ?? (await openInput(path))
  return openArrays(await readWhole(opened, onProgress), opened.name, { maxBytes })
}

/** The store of a Zarr path. */
async function zarrStore(path: string, maxBytes: number): ReturnType<typeof zipStore> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory()
  if (isFolder) return folderStore(path, maxBytes)
  if (hasEnding(path, ['.zip'])) return zipStore(path, maxBytes)
  await openInput(path) // throws if there is no such file
  throw new InputError('format', `${path}: this is a file, but a Zarr store is a folder, or a .zarr.zip.`)
}

/** The arrays of a file, as `lacuna info` lists them; nothing of their elements is read. */
export async function listVariables(path: string): Promise<VariableInfo[]> {
  const file = await openArrayFile(path)
  try {
    return file.variables.map(({ name, shape, type, dimensions }) => ({ name, shape, type, dimensions }))
  } finally {
    file.close()
  }
}
