/** Opens files of named arrays as bytes: MATLAB, HDF5, NetCDF-4. The first bytes determine the format. */
import { InputError } from '../../base/inputError.ts'
import type { ArrayFile, OpenArrayOptions } from './arrayFile.ts'
import { isHdf5, openHdf5 } from './hdf5.ts'
import { isMat5, openMat5 } from './mat5.ts'

/** Opens a file of arrays; throws if it is damaged, or of a format that cannot be read. */
export async function openArrays(
  bytes: Uint8Array,
  name: string,
  options: OpenArrayOptions,
): Promise<ArrayFile> {
  if (isHdf5(bytes)) return openHdf5(bytes, name, options)
  if (isMat5(bytes)) return openMat5(bytes, name, options)
  throw new InputError('format', `${name}: ${adviseArrayFormat(bytes)}`)
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
