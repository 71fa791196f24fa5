/**
 * Writes a tensor as a dense HDF5 file that is NetCDF-4, too: one array of float32 with NaN at its gaps, and a dimension
 * scale per mode, which holds its labels. Times are numbers with CF units.
 */
import type { Group } from 'h5wasm'
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import { columnType, DAY, isFraction, isWhole, timeOfText } from '../../labels/index.ts'
import { cellsOf, type SparseTensor } from '../../tensor/index.ts'
import { checkLabels, columnNames } from '../table/index.ts'
import { loadH5, removeVirtualFile, virtualPath } from './loadH5.ts'

/** Larger arrays are refused: WebAssembly holds them twice. */
const MAX_BYTES = 2 ** 29
/** NetCDF's name of a scale that has no coordinates. */
const NO_COORDINATES = 'This is a netCDF dimension but not a netCDF variable'

/** Encodes a tensor as an HDF5 file. Throws if labels repeat, or the dense array is larger than 512 MiB. */
export async function encodeTensorHdf5(tensor: SparseTensor): Promise<Uint8Array> {
  checkLabels(tensor)
  const { dims, modes, labels } = tensor
  const bytes = 4 * cellsOf(dims)
  if (bytes > MAX_BYTES)
    throw new InputError(
      'format',
      `A dense ${dims.join(' × ')} array takes ${formatBytes(bytes)}, more than the ${formatBytes(MAX_BYTES)} that are written as HDF5; write .npz (COO), .npy or a table instead.`,
    )
  const { h5, module } = await loadH5()
  const path = virtualPath()
  const file = new h5.File(path, 'w')
  try {
    // A slash would make groups.
    const names = columnNames({ ...tensor, weights: undefined }).map((name) => name.replaceAll('/', '_'))
    const valueName = names[dims.length]
    const values = file.create_dataset({
      name: valueName,
      data: denseValues(tensor),
      shape: [...dims],
      dtype: '<f',
    })
    values.create_attribute('_FillValue', [NaN], [1], '<f')
    dims.forEach((size, mode) => {
      const scale = createScale(file, names[mode], size, labels?.[mode], modes?.[mode].type)
      scale.make_scale(labels?.[mode] ? names[mode] : NO_COORDINATES + String(size).padStart(10))
      values.attach_scale(mode, `/${names[mode]}`)
      values.set_dimension_label(mode, names[mode])
    })
    file.flush()
    file.close()
    return module.FS.readFile(path) as Uint8Array
  } finally {
    removeVirtualFile(module, path)
  }
}

/** The elements in C order, NaN where nothing was observed. */
function denseValues({ dims, indices, values }: SparseTensor): Float32Array {
  const dense = new Float32Array(cellsOf(dims)).fill(NaN)
  for (let entry = 0; entry < values.length; entry++) {
    let position = 0
    for (let mode = 0; mode < dims.length; mode++) position = position * dims[mode] + indices[mode][entry]
    dense[position] = values[entry]
  }
  return dense
}

/** Creates the array of a mode's labels in their type; zeros where there are none. */
function createScale(
  file: Group,
  name: string,
  size: number,
  labels: readonly string[] | undefined,
  typeName: string | undefined,
): ReturnType<Group['create_dataset']> {
  if (!labels) return file.create_dataset({ name, data: new Float32Array(size), dtype: '<f' })
  const type = typeName === undefined ? undefined : columnType(typeName)
  const isTime = type === 'DATE' || type === 'TIMESTAMP'
  const numbers = labels.map((label) =>
    isTime ? timeOfText(label) : label.trim() === '' ? NaN : Number(label),
  )
  const isNumeric = type !== undefined && (isTime || isFraction(type) || isWhole(type))
  if (
    !isNumeric ||
    !numbers.every((x) => Number.isFinite(x) && (isFraction(type) || Number.isSafeInteger(x)))
  )
    return file.create_dataset({ name, data: [...labels], dtype: 'S' })
  if (isFraction(type)) return file.create_dataset({ name, data: Float64Array.from(numbers), dtype: '<d' })
  const unit = type === 'DATE' ? DAY : 1
  const scale = file.create_dataset({
    name,
    data: BigInt64Array.from(numbers, (x) => BigInt(x / unit)),
    dtype: '<q',
  })
  if (isTime) {
    scale.create_attribute('units', `${type === 'DATE' ? 'days' : 'microseconds'} since 1970-01-01 00:00:00`)
    scale.create_attribute('calendar', 'proleptic_gregorian')
  }
  return scale
}
