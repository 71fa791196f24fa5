"""Makes the files of test/lacuna/io/science/files with the reference tools of each format: python3-scipy, python3-h5py,
python3-netcdf4, python3-zarr, python3-openpyxl (Debian 12). Run in that folder: python3 ../make.py

All hold the same 3 x 4 x 5 array, x[i, j, k] = 20 i + 5 j + k + 0.5, without the elements [0, 1, 2] and [2, 3, 4].
"""

import datetime
import os
import shutil
import zipfile

import h5py
import netCDF4
import numpy
import openpyxl
import scipy.io
import scipy.sparse
import zarr

x = numpy.arange(60.0).reshape(3, 4, 5) + 0.5
seen = numpy.ones(x.shape, bool)
seen[0, 1, 2] = seen[2, 3, 4] = False
gaps = numpy.where(seen, x, numpy.nan)
sparse = scipy.sparse.csc_matrix(([1.5, 2.5, 3.5], ([0, 2, 1], [0, 0, 3])), shape=(3, 4))

# MATLAB level 5, packed and not: numbers, a mask, a struct, a sparse matrix, texts and cells beside them.
more = {'seen': seen, 'data': {'X': gaps, 'axis': numpy.arange(5.0)}, 'S': sparse, 'title': 'x', 'c': numpy.array(['a', 1], object)}
scipy.io.savemat('packed.mat', {'X': gaps, 'wavelength': numpy.arange(5.0), **more}, do_compression=True)
scipy.io.savemat('plain.mat', {'X': gaps, 'wavelength': numpy.arange(5.0)})
scipy.io.savemat('several.mat', {'A': x[0], 'B': x[1].astype('int16'), 'Z': x[2] + 1j})

# MATLAB 7.3 is HDF5 behind a block of 512 bytes, with axes in reverse order. MATLAB itself is not at hand.
with h5py.File('v73.mat', 'w', userblock_size=512) as f:
    d = f.create_dataset('X', data=gaps.T, chunks=(5, 4, 1), compression='gzip')
    d.attrs['MATLAB_class'] = numpy.bytes_('double')
    d = f.create_dataset('seen', data=seen.T.astype('u1'))
    d.attrs['MATLAB_class'] = numpy.bytes_('logical')
    g = f.create_group('data')
    g.attrs['MATLAB_class'] = numpy.bytes_('struct')
    g.create_dataset('X', data=x[0].T).attrs['MATLAB_class'] = numpy.bytes_('double')
    s = f.create_group('S')
    s.attrs['MATLAB_class'] = numpy.bytes_('double')
    s.attrs['MATLAB_sparse'] = numpy.uint64(3)
    s['data'], s['ir'], s['jc'] = sparse.data, sparse.indices.astype('u8'), sparse.indptr.astype('u8')
with open('v73.mat', 'r+b') as f:
    f.write(b'MATLAB 7.3 MAT-file, made by h5py'.ljust(116) + bytes(8) + b'\x00\x02IM')

# HDF5: a group, chunks, big-endian numbers, dimension scales, truth values, texts, and what must not be followed.
with h5py.File('data.h5', 'w') as f:
    d = f.create_dataset('run/counts', data=gaps.astype('>f4'), chunks=(1, 4, 5), compression='gzip', shuffle=True)
    f['run/seen'] = seen
    f['sample'] = numpy.array(['a', 'b', 'c'], dtype=h5py.string_dtype())
    f['depth'] = numpy.array([0.1, 0.2, 0.5, 1], 'f4')
    for axis, name in enumerate(['sample', 'depth']):
        f[name].make_scale(name)
        d.dims[axis].attach_scale(f[name])
        d.dims[axis].label = name
    d.dims[2].label = 'channel'
with h5py.File('hostile.h5', 'w') as f:
    f['elsewhere'] = h5py.ExternalLink('data.h5', '/run/counts')
    layout = h5py.VirtualLayout(shape=(3, 4), dtype='f4')
    layout[:] = h5py.VirtualSource('data.h5', 'run/counts', shape=(3, 4))
    f.create_virtual_dataset('virtual', layout, fillvalue=7)
    f.create_dataset('raw', shape=(3, 4), dtype='f4', external=[('/etc/passwd', 0, h5py.h5f.UNLIMITED)])
    f.create_dataset('huge', shape=(10**6, 10**6, 100), dtype='f8', chunks=(10, 10, 10))
    f['group/loop'] = h5py.SoftLink('/group')
    f.create_dataset('complex', data=numpy.zeros((2, 2), 'c8'))
    f.create_dataset('table', data=numpy.zeros(3, [('a', 'f4'), ('b', 'i4')]))

# NetCDF-4: packed numbers, a fill value, times, a dimension without coordinates, bounds; and NetCDF-3.
def netcdf(path, **options):
    with netCDF4.Dataset(path, 'w', **options) as f:
        for name, size in [('time', 3), ('lat', 4), ('station', 5), ('bnds', 2)]:
            f.createDimension(name, size)
        time = f.createVariable('time', 'f8', ('time',))
        time.units, time.bounds = 'hours since 1900-01-01 00:00:0.0', 'time_bnds'
        time[:] = [1_000_000, 1_000_006, 1_000_012]
        f.createVariable('time_bnds', 'f8', ('time', 'bnds'))[:] = numpy.zeros((3, 2))
        f.createVariable('lat', 'f4', ('lat',))[:] = [50.1, 50, 49.9, 49.8]
        t2m = f.createVariable('t2m', 'i2', ('time', 'lat', 'station'), fill_value=-32767)
        t2m.scale_factor, t2m.add_offset = 0.5, 0.5
        t2m[:] = numpy.ma.masked_array(x, ~seen)

netcdf('era.nc')
netcdf('classic.nc', format='NETCDF3_CLASSIC')
with netCDF4.Dataset('unwritten.nc', 'w') as f:
    f.createDimension('day', 3)
    f.createDimension('site', 4)
    day = f.createVariable('day', 'i4', ('day',))
    day.units, day.calendar = 'days since 2024-02-28', 'proleptic_gregorian'
    day[:] = [0, 1, 2]
    f.createVariable('level', 'f4', ('day', 'site'))[0:2, :] = x[0, :2, :4]

# Zarr 2, packed by each of its codecs, as a folder and a zip.
shutil.rmtree('data.zarr', ignore_errors=True)
root = zarr.open_group('data.zarr', mode='w', zarr_version=2)
codecs = {'blosc': zarr.Blosc(), 'zlib': zarr.Zlib(), 'gzip': zarr.GZip(), 'zstd': zarr.Zstd(), 'lz4': zarr.LZ4()}
for name, codec in codecs.items():
    a = root.create_dataset(f'packed/{name}', data=gaps[:2].astype('f4'), chunks=(1, 3, 5), compressor=codec)
    a.attrs['_ARRAY_DIMENSIONS'] = ['time', 'depth', 'k']
a = root.create_dataset('x', data=numpy.where(seen, x * 2 - 1, -9).astype('i4'), chunks=(2, 3, 5), fill_value=-9, order='F')
a.attrs.update({'_ARRAY_DIMENSIONS': ['time', 'depth', 'k'], 'scale_factor': 0.5, 'add_offset': 0.5})
a = root.create_dataset('time', data=numpy.array([0, 1, 2], 'i8'))
a.attrs.update({'_ARRAY_DIMENSIONS': ['time'], 'units': 'days since 2024-02-28', 'calendar': 'proleptic_gregorian'})
a = root.create_dataset('depth', data=numpy.array(['a', 'b', 'c', 'd'], '<U1'))
a.attrs['_ARRAY_DIMENSIONS'] = ['depth']
with zipfile.ZipFile('data.zarr.zip', 'w', zipfile.ZIP_STORED) as z:
    for folder, _, files in sorted(os.walk('data.zarr')):
        for name in sorted(files):
            z.write(os.path.join(folder, name), os.path.relpath(os.path.join(folder, name), 'data.zarr'))
shutil.rmtree('data.zarr')  # the tests unpack the zip

# A workbook: an empty sheet, rows of the array as a table with dates and a gap, and another sheet.
book = openpyxl.Workbook()
book.active.title = 'Empty'
sheet = book.create_sheet('Rows')
sheet.append(['day', 'site', 'level'])
for i in range(3):
    for j in range(4):
        sheet.append([datetime.date(2024, 2, 28) + datetime.timedelta(days=i), f'site {"abcd"[j]}', None if (i, j) == (1, 1) else float(x[i, j, 0])])
other = book.create_sheet('Other')
for row in [['a', 'b', 'v'], ['p', 'q', 1], ['p', 'r', 2], ['s', 'q', 3]]:
    other.append(row)
book.save('book.xlsx')
