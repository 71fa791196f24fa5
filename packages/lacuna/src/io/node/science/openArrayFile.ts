/** Opens files of named arrays by path: MATLAB, HDF5, NetCDF-4, Zarr. The first bytes determine the format. */
import { stat } from 'node:fs/promises'
import { InputError } from '../../../base/inputError.ts'
import {
  type ArrayFile,
  isHdf5,
  isMat5,
  openHdf5,
  openMat5,
  openZarr,
  type VariableInfo,
} from '../../science/index.ts'
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
  const { name } = opened
  const bytes = await readWhole(opened, onProgress)
  if (isHdf5(bytes)) return openHdf5(bytes, name, { maxBytes })
  if (isMat5(bytes)) return openMat5(bytes, name, { maxBytes })
  throw new InputError('format', `${name}: ${adviseArrayFormat(bytes)}`)
}

/** The store of a Zarr path. */
async function zarrStore(path: string, maxBytes: number): ReturnType<typeof zipStore> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory()
  if (isFolder) return folderStore(path, maxBytes)
  if (hasEnding(path, ['.zip'])) return zipStore(path, maxBytes)
  await openInput(path) // throws if there is no such file
  throw new InputError('format', `${path}: this is a file, but a Zarr store is a folder, or a .zarr.zip.`)
}

/** Why bytes are no file of arrays, and what to do. */
function adviseArrayFormat(bytes: Uint8Array): string {
  const magic = new TextDecoder('latin1').decode(bytes.subarray(0, 8))
  if (magic.startsWith('CDF') && [1, 2, 5].includes(bytes[3]))
    return 'this is NetCDF-3 (classic), which is not read; convert it with nccopy -k nc4 IN.nc OUT.nc.'
  if (magic.startsWith('\x0e\x03\x13\x01')) return 'this is HDF4, which is not read; convert it with h4toh5.'
  if (bytes.length === 0) return 'the file is empty.'
  return 'this is neither a MATLAB file (level 5 or 7.3) nor HDF5 or NetCDF-4; it is damaged or of another format (save -v7 writes level 5).'
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
