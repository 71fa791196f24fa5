/**
 * HDF5 files, NetCDF-4 and MATLAB's MAT-files of version 7.3, which are HDF5. h5wasm, the HDF5 library compiled to
 * WebAssembly, reads them from memory: it has no access to the disk, so that external links, external storage and
 * virtual datasets lead nowhere; they are listed with the reason, and never followed.
 */
import type { Dataset, Entity, File, Group } from 'h5wasm'
import { InputError } from '../../base/inputError.ts'
import { type NpyData, toCOrder } from '../npz/index.ts'
import {
  type ArrayFile,
  type ArrayVariable,
  type AttributeValue,
  checkArrayBytes,
  damagedFile,
  elementCount,
  MAX_DEPTH,
  MAX_VARIABLES,
  type OpenArrayOptions,
  shown,
} from './arrayFile.ts'
import { defaultFills } from './defaultFills.ts'
import { areHeapsWhole } from './hdf5Heaps.ts'
import { type H5, loadH5, removeVirtualFile, virtualPath } from './loadH5.ts'

/** Classes of HDF5 types. */
const [INTEGER, FLOAT, STRING, COMPOUND, ENUM] = [0, 1, 3, 6, 8]
/** Most bytes that are read at a time, so that the memory of WebAssembly stays small. */
const SLAB_BYTES = 2 ** 26
/** Most bytes of an attribute that is read: others are of no use here. */
const MAX_ATTRIBUTE = 2 ** 16

/** The signature of HDF5, which stands at byte 0, 512, 1024, 2048 … of a file. */
const SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]

/** The position of the signature of HDF5, of NetCDF-4 and MAT-files of version 7.3, too; -1 if there is none. */
function findSignature(bytes: Uint8Array): number {
  for (let at = 0; at + 8 <= bytes.length; at = at === 0 ? 512 : 2 * at)
    if (SIGNATURE.every((byte, i) => bytes[at + i] === byte)) return at
  return -1
}

/** Whether bytes are those of an HDF5 file, NetCDF-4 and MAT-files of version 7.3 included. */
export const isHdf5 = (bytes: Uint8Array): boolean => findSignature(bytes) >= 0

/** Opens an HDF5 file. Throws if it is damaged. */
export async function openHdf5(
  bytes: Uint8Array,
  name: string,
  { maxBytes }: OpenArrayOptions,
): Promise<ArrayFile> {
  if (!areHeapsWhole(bytes, findSignature(bytes))) throw damagedFile(name, 'HDF5')
  const { h5, module } = await loadH5()
  const path = virtualPath()
  let file: File | undefined
  const close = (): void => {
    try {
      file?.close()
    } catch {
      // A damaged file may not close; its bytes are released below.
    }
    removeVirtualFile(module, path)
  }
  try {
    // The file system takes the bytes as they are; nothing is written to them.
    module.FS.writeFile(path, bytes, { canOwn: true } as never)
    file = new h5.File(path, 'r')
    const isMatlab = new TextDecoder('latin1').decode(bytes.subarray(0, 10)) === 'MATLAB 7.3'
    const isNetcdf = '_NCProperties' in file.attrs || /\.nc4?$/i.test(name)
    const reader = new Hdf5Reader(name, h5, { isMatlab, isNetcdf, maxBytes })
    reader.listGroup(file, '', 0)
    return { name, variables: reader.variables, close }
  } catch (error) {
    close()
    if (error instanceof InputError) throw error
    throw damagedFile(name, 'HDF5', error)
  }
}

/** Lists and reads the datasets of an opened file. */
class Hdf5Reader {
  readonly variables: ArrayVariable[] = []
  #groups = 0
  readonly #name: string
  readonly #h5: H5
  readonly #settings: { isMatlab: boolean; isNetcdf: boolean; maxBytes: number }

  constructor(name: string, h5: H5, settings: { isMatlab: boolean; isNetcdf: boolean; maxBytes: number }) {
    this.#name = name
    this.#h5 = h5
    this.#settings = settings
  }

  /** Adds the datasets of a group and of the groups in it. @param prefix of names, with its separator */
  listGroup(group: Group, prefix: string, depth: number): void {
    const { isMatlab } = this.#settings
    this.#groups++
    for (const key of group.keys()) {
      if (this.variables.length >= MAX_VARIABLES || this.#groups > MAX_VARIABLES)
        throw new InputError(
          'format',
          `${this.#name}: there are more than ${MAX_VARIABLES} arrays or groups; save fewer of them.`,
        )
      if (isMatlab && key.startsWith('#')) continue // MATLAB's own references
      const name = prefix + key
      const entity = this.#get(group, key)
      if (entity instanceof this.#h5.Dataset) {
        const variable = this.#describe(entity, name)
        if (!isPlainDimension(variable)) this.variables.push(variable)
      } else if (entity instanceof this.#h5.Group) {
        const sparse = isMatlab ? this.#describeSparse(entity, name) : undefined
        if (sparse) this.variables.push(sparse)
        else if (depth < MAX_DEPTH) this.listGroup(entity, `${name}${isMatlab ? '.' : '/'}`, depth + 1)
      } else if (entity instanceof this.#h5.ExternalLink)
        this.#addUnreadable(
          name,
          'external link',
          'lies in another file, which Lacuna does not open; name that file',
        )
    }
  }

  /** An object of a group; undefined for a soft link, whose target is listed under its own name. */
  #get(group: Group, key: string): Entity | null | undefined {
    try {
      const isSoft = group.get_link(`${group.path === '/' ? '' : group.path}/${key}`) !== null
      return isSoft ? undefined : group.get(key)
    } catch {
      return undefined
    }
  }

  /** Adds an entry that cannot be read. */
  #addUnreadable(name: string, type: string, fault: string): void {
    const read = (): never => {
      throw new InputError('format', `${this.#name}: the variable ${shown(name)} ${fault}.`)
    }
    this.variables.push({ name, shape: [], type, dimensions: [], kind: 'other', fault, attributes: {}, read })
  }

  /** Describes a dataset. */
  #describe(dataset: Dataset, name: string): ArrayVariable {
    const { isMatlab, isNetcdf } = this.#settings
    const { metadata } = dataset
    const stored = metadata.shape ?? []
    const attributes = readAttributes(dataset)
    const isVirtual = metadata.virtual_sources !== undefined
    const { kind, type, fault } = classify(metadata, isMatlab ? attributes.MATLAB_class : undefined)
    const why = isVirtual ? 'is virtual: its numbers lie in other files, which Lacuna does not open' : fault
    // MATLAB's axes are stored in reverse order, since its arrays are column-major.
    const shape = isMatlab ? [...stored].reverse() : stored
    const scales = isMatlab ? undefined : stored.map((_, axis) => attachedScales(dataset, axis))
    const labels = isMatlab ? [] : dimensionLabels(dataset)
    const isScale = attributes.CLASS === 'DIMENSION_SCALE' && shape.length === 1
    const isEmpty = attributes.MATLAB_empty !== undefined || metadata.shape === null
    return {
      name,
      shape: isEmpty ? [0] : shape,
      type,
      kind: why === undefined ? kind : 'other',
      fault: isEmpty ? 'is empty' : why,
      dimensions: isScale
        ? [lastPart(name)]
        : shape.map((_, axis) => labels[axis] ?? (scales?.[axis]?.[0] && lastPart(scales[axis][0]))),
      attributes,
      scales: scales?.map((paths) => paths.map((path) => path.replace(/^\//, ''))),
      missing: isNetcdf && !('_FillValue' in attributes) ? defaultFills(type) : undefined,
      read: async () => {
        const data = this.#read(dataset, name)
        return { shape, data: isMatlab ? toCOrder(data, shape) : data }
      },
      ...(kind === 'text' && { readTexts: async () => this.#readTexts(dataset, name) }),
    }
  }

  /** Describes a sparse matrix of MATLAB, which is a group of three arrays; undefined for any other group. */
  #describeSparse(group: Group, name: string): ArrayVariable | undefined {
    const rowCount = readAttributes(group).MATLAB_sparse
    if (rowCount === undefined || typeof rowCount === 'string') return undefined
    const [data, rows, starts] = ['data', 'ir', 'jc'].map((key) => this.#get(group, key))
    const isDataset = (entity: unknown): entity is Dataset => entity instanceof this.#h5.Dataset
    if (!isDataset(starts)) return undefined
    const read = (entity: unknown, part: string): ArrayLike<number> =>
      isDataset(entity) ? Array.from(this.#read(entity, `${name}.${part}`), Number) : []
    const shape = [rowCount[0], elementCount(starts.shape ?? [1]) - 1]
    return {
      ...{ name, shape, type: 'sparse', kind: 'number', dimensions: [undefined, undefined], attributes: {} },
      read: () => {
        throw new RangeError('a sparse matrix is read by its entries')
      },
      readSparse: () => ({ rows: read(rows, 'ir'), starts: read(starts, 'jc'), values: read(data, 'data') }),
    }
  }

  /** Reads the numbers of a dataset, by slabs of its first axis. */
  #read(dataset: Dataset, name: string): NpyData {
    const { metadata } = dataset
    const shape = metadata.shape ?? []
    checkArrayBytes(this.#name, { name, shape }, metadata.size, this.#settings.maxBytes)
    try {
      const count = elementCount(shape)
      const rowBytes = (count / Math.max(1, shape[0] ?? 1)) * metadata.size
      const chunkRows = metadata.chunks?.[0] ?? 1
      const step = Math.max(chunkRows, Math.floor(SLAB_BYTES / rowBytes / chunkRows) * chunkRows)
      if (count * metadata.size <= SLAB_BYTES || shape.length === 0) return numbersOf(dataset.value)
      let all: NpyData | undefined
      for (let row = 0; row < shape[0]; row += step) {
        const end = Math.min(shape[0], row + step)
        const slab = numbersOf(dataset.slice([[row, end], ...shape.slice(1).map((): [] => [])]))
        all ??= new (slab.constructor as new (length: number) => NpyData)(count)
        all.set(slab as never, row * (count / shape[0]))
      }
      return all as NpyData
    } catch (error) {
      throw this.#unreadable(name, error)
    }
  }

  /** Reads the texts of a dataset. */
  #readTexts(dataset: Dataset, name: string): string[] {
    checkArrayBytes(this.#name, { name, shape: dataset.shape ?? [] }, dataset.metadata.size, SLAB_BYTES)
    try {
      return [dataset.value].flat().map(String)
    } catch (error) {
      throw this.#unreadable(name, error)
    }
  }

  /** The error for a dataset that cannot be read. */
  #unreadable(name: string, cause: unknown): InputError {
    if (cause instanceof InputError) return cause
    return new InputError(
      'format',
      `${this.#name}: the variable ${shown(name)} cannot be read: the file is truncated or damaged, or needs a filter or another file that is not there.`,
      { cause },
    )
  }
}

/** A value of h5wasm as a typed array; throws for anything else. */
function numbersOf(value: unknown): NpyData {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return value as NpyData
  if (typeof value === 'number') return Float64Array.of(value)
  throw new RangeError('these are no numbers')
}

/** Classifies the elements of a dataset. @param matlabClass MATLAB's name of their type, if any */
function classify(
  metadata: Dataset['metadata'],
  matlabClass: AttributeValue | undefined,
): Pick<ArrayVariable, 'kind' | 'type' | 'fault'> {
  const { type, size, signed } = metadata
  const bits = 8 * size
  if (matlabClass === 'char' || matlabClass === 'cell' || matlabClass === 'struct' || type === 7)
    return { kind: 'other', type: String(matlabClass ?? 'reference'), fault: 'is no array of numbers' }
  if (matlabClass === 'logical') return { kind: 'logical', type: 'logical' }
  if (type === INTEGER && [1, 2, 4, 8].includes(size))
    return { kind: 'number', type: `${signed ? 'int' : 'uint'}${bits}` }
  if (type === FLOAT && (size === 4 || size === 8)) return { kind: 'number', type: `float${bits}` }
  if (type === FLOAT)
    return { kind: 'other', type: `float${bits}`, fault: `holds float${bits}; save it as float32` }
  if (type === ENUM) return { kind: size === 1 ? 'logical' : 'number', type: size === 1 ? 'bool' : 'enum' }
  if (type === STRING) return { kind: 'text', type: 'text' }
  if (type === COMPOUND) {
    const names = metadata.compound_type?.members.map((member) => member.name) ?? []
    const isComplex = names.length === 2 && /^r/i.test(names[0]) && /^i/i.test(names[1])
    return isComplex
      ? { kind: 'other', type: 'complex', fault: 'holds complex numbers; save their real part, or abs' }
      : { kind: 'other', type: 'compound', fault: 'is a table of compound values; save it as Parquet or CSV' }
  }
  return { kind: 'other', type: 'other', fault: 'is no array of numbers' }
}

/** The attributes of an object that are texts or numbers. */
function readAttributes(object: Dataset | Group): Record<string, AttributeValue> {
  const found: Record<string, AttributeValue> = {}
  for (const [name, attribute] of Object.entries(object.attrs)) {
    try {
      const { type, size, total_size: count } = attribute.metadata
      if (![INTEGER, FLOAT, STRING].includes(type) || size * count > MAX_ATTRIBUTE) continue
      const { value } = attribute
      if (typeof value === 'string') found[name] = value
      else if (Array.isArray(value) && typeof value[0] === 'string') found[name] = String(value[0])
      else if (ArrayBuffer.isView(value)) found[name] = Array.from(value as Float64Array, Number)
      else if (typeof value === 'number' || typeof value === 'bigint') found[name] = [Number(value)]
    } catch {
      // An attribute that cannot be read is none.
    }
  }
  return found
}

/** The paths of the scales that are attached to an axis; none if the file has none. */
function attachedScales(dataset: Dataset, axis: number): string[] {
  try {
    return dataset.get_attached_scales(axis)
  } catch {
    return []
  }
}

/** The labels of a dataset's axes; none if the file has none. */
function dimensionLabels(dataset: Dataset): (string | undefined)[] {
  try {
    return dataset.get_dimension_labels().map((label) => label || undefined)
  } catch {
    return []
  }
}

/** The last part of a path: data of group/data. */
const lastPart = (path: string): string => path.replace(/^.*\//s, '')

/** Whether NetCDF wrote this as a dimension without coordinates, whose elements mean nothing. */
const isPlainDimension = ({ attributes }: ArrayVariable): boolean =>
  typeof attributes.NAME === 'string' &&
  attributes.NAME.startsWith('This is a netCDF dimension but not a netCDF variable')
