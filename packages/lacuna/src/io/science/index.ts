/** Files of named arrays: MATLAB, HDF5, NetCDF-4 and Zarr, as bytes, read as tensors. */
export {
  type ArrayFile,
  type ArrayVariable,
  damagedFile,
  type OpenArrayOptions,
  type VariableInfo,
} from './arrayFile.ts'
export { chooseVariable, dataVariables, describeVariable } from './choose.ts'
export { openArrays } from './openArrays.ts'
export { type ReadVariableOptions, readVariable } from './readVariable.ts'
export { encodeTensorHdf5 } from './writeHdf5.ts'
export { openZarr, type ZarrStore } from './zarr.ts'
