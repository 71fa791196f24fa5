/** Files of named arrays by path: MATLAB, HDF5, NetCDF-4 and Zarr. */
export { isZarr, listVariables, openArrayFile } from './openArrayFile.ts'
