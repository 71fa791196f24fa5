/**
 * Zarr, versions 2 and 3, by zarrita: arrays in chunks, each a value of a store. The store is a folder or a zip on
 * this machine; nothing in the metadata can lead out of it. Chunks are unpacked up to the size that the metadata
 * declares.
 */
import type { DataType, Readable, Array as ZarrArray } from 'zarrita'
import { InputError } from '../../base/inputError.ts'
import { explainMissingPackage } from '../../base/missingPackage.ts'
import type { NpyData } from '../npz/index.ts'
import {
  type ArrayFile,
  type ArrayVariable,
  type AttributeValue,
  checkArrayBytes,
  elementCount,
  type OpenArrayOptions,
  shapeText,
  shown,
} from './arrayFile.ts'
import { limitCodecs } from './zarrCodecs.ts'

/** The values of a Zarr store by their keys, which begin with a slash. */
export interface ZarrStore {
  /** The keys of metadata: those that end in .zarray or zarr.json. */
  metadataKeys(): Promise<string[]>
  get(key: string): Promise<Uint8Array | undefined>
}

/** The most chunks of an array: reading looks for each of them. */
const MAX_CHUNKS = 2 ** 22
/** The most bytes of the metadata of an array. */
const MAX_METADATA = 2 ** 24

/** Opens the arrays of a Zarr store. Throws if there are none, or their metadata is damaged. */
export async function openZarr(
  store: ZarrStore,
  name: string,
  { maxBytes }: OpenArrayOptions,
): Promise<ArrayFile> {
  const zarr = await import('zarrita').catch(explainMissingPackage('zarrita', 'Reading Zarr'))
  limitCodecs(zarr.registry)
  const readable = asReadable(store)
  const variables: ArrayVariable[] = []
  for (const key of await store.metadataKeys()) {
    const path = key.replace(/\/(\.zarray|zarr\.json)$/, '')
    const isV3 = key.endsWith('zarr.json')
    const fail = (cause: unknown): never => {
      throw new InputError(
        'format',
        `${name}: ${shown(key.slice(1))} is no whole description of an array; the store is damaged.`,
        {
          cause,
        },
      )
    }
    const metadata = parseMetadata(await store.get(key)) ?? fail(undefined)
    if (isV3 && metadata.node_type !== 'array') continue
    const location = zarr.root(readable).resolve(path === '' ? '/' : path)
    const open = isV3 ? zarr.open.v3 : zarr.open.v2
    const array = await open(location, { kind: 'array' }).catch(fail)
    const fill = isV3 ? undefined : metadata.fill_value
    try {
      variables.push(describe(array, path.slice(1) || 'data', fill, name, maxBytes))
    } catch (error) {
      fail(error)
    }
  }
  return { name, variables, close() {} }
}

/** The JSON object in bytes; undefined if there is none. */
function parseMetadata(bytes: Uint8Array | undefined): Record<string, unknown> | undefined {
  if (!bytes || bytes.length > MAX_METADATA) return undefined
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** A store as zarrita reads it; ranges, which shards need, are cut of whole values. */
function asReadable(store: ZarrStore): Readable {
  return {
    get: (key) => store.get(key),
    async getRange(key, range) {
      const bytes = await store.get(key)
      if (!bytes) return undefined
      return 'suffixLength' in range
        ? bytes.slice(Math.max(0, bytes.length - range.suffixLength))
        : bytes.slice(range.offset, range.offset + range.length)
    },
  }
}

/** Describes an array. @param fill the fill value of version 2, which marks missing elements unless it is 0 */
function describe(
  array: ZarrArray<DataType, Readable>,
  name: string,
  fill: unknown,
  file: string,
  maxBytes: number,
): ArrayVariable {
  const { shape, dtype, chunks } = array
  const isSize = (size: unknown): boolean => Number.isSafeInteger(size) && Number(size) >= 0
  if (
    !shape.every(isSize) ||
    chunks.length !== shape.length ||
    !chunks.every((size) => isSize(size) && size > 0)
  )
    throw new RangeError('sizes are no whole numbers')
  const attributes = attributesOf(array.attrs)
  const named = array.dimensionNames ?? array.attrs._ARRAY_DIMENSIONS
  const isText = /^(string|v2:[SU]\d+|v2:object)$/.test(dtype)
  const bits = Number(/^(?:u?int|float)(8|16|32|64)$/.exec(dtype)?.[1] ?? NaN)
  const isNumber = bits > 0
  const readAll = async (elementBytes: number): Promise<ArrayLike<unknown>> => {
    checkArrayBytes(file, { name, shape }, elementBytes, maxBytes)
    checkArrayBytes(file, { name: `${name} (a chunk of it)`, shape: chunks }, elementBytes, maxBytes)
    return readChunks(array, `${file}: the variable ${shown(name)}`)
  }
  return {
    name,
    shape,
    type: isText ? 'text' : dtype,
    kind: isNumber ? 'number' : dtype === 'bool' ? 'logical' : isText ? 'text' : 'other',
    fault: isNumber || isText || dtype === 'bool' ? undefined : `holds ${shown(dtype)}, not plain numbers`,
    dimensions: shape.map((_, axis) => textOrUndefined(Array.isArray(named) ? named[axis] : undefined)),
    attributes,
    missing: typeof fill === 'number' && fill !== 0 ? [dtype === 'float32' ? Math.fround(fill) : fill] : [],
    async read() {
      const data = await readAll(dtype === 'bool' ? 1 : bits / 8)
      // Half floats and truth values come as arrays of their own kinds.
      const isPlain = ArrayBuffer.isView(data) && bits !== 16
      return {
        shape,
        data: isPlain ? (data as unknown as NpyData) : Float32Array.from(data as ArrayLike<number>, Number),
      }
    },
    ...(isText && {
      readTexts: async () => {
        try {
          return Array.from(await readAll(64), (text) => String(text ?? '').replace(/\0+$/, ''))
        } catch (cause) {
          if (cause instanceof InputError) throw cause
          throw new InputError(
            'format',
            `${file}: the texts of ${shown(name)} are damaged; write them again.`,
            {
              cause,
            },
          )
        }
      },
    }),
  }
}

/** The value if it is a text that is not empty. */
const textOrUndefined = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** The attributes that are texts or numbers. */
function attributesOf(attrs: Readonly<Record<string, unknown>>): Record<string, AttributeValue> {
  const found: Record<string, AttributeValue> = {}
  for (const [name, value] of Object.entries(attrs)) {
    if (typeof value === 'string') found[name] = value
    else if (typeof value === 'number') found[name] = [value]
    else if (Array.isArray(value) && value.every((x) => typeof x === 'number')) found[name] = value
  }
  return found
}

/** Reads all chunks of an array, one at a time, into C order. @param what the array, for messages */
async function readChunks(array: ZarrArray<DataType, Readable>, what: string): Promise<ArrayLike<unknown>> {
  const { shape, chunks } = array
  const counts = shape.map((size, axis) => Math.ceil(size / chunks[axis]))
  if (elementCount(counts) > MAX_CHUNKS)
    throw new InputError(
      'memory',
      `${what} has ${elementCount(counts)} chunks (${shapeText(chunks)} each), more than ${MAX_CHUNKS}; save it in larger chunks.`,
    )
  const strides = shape.map((_, axis) => elementCount(shape.slice(axis + 1)))
  let all: { [at: number]: unknown; length: number } | undefined
  for (let c = 0; c < elementCount(counts); c++) {
    let rest = c
    const coordinates = counts.map(() => 0)
    for (let axis = counts.length - 1; axis >= 0; axis--) {
      coordinates[axis] = rest % counts[axis]
      rest = Math.floor(rest / counts[axis])
    }
    const chunk = await array.getChunk(coordinates).catch((cause: unknown) => {
      if (cause instanceof InputError) throw cause
      const inner = cause instanceof Error && cause.cause instanceof InputError ? cause.cause : undefined
      throw (
        inner?.within(what) ??
        new InputError(
          'format',
          `${what} cannot be read: the chunk (${coordinates.join(', ')}) is truncated or damaged, or packed in a way that is not known here.`,
          { cause },
        )
      )
    })
    const data = chunk.data as ArrayLike<unknown> & { get?(at: number): unknown; buffer?: ArrayBuffer }
    if (data.length < elementCount(chunk.shape))
      throw new InputError(
        'format',
        `${what} cannot be read: the chunk (${coordinates.join(', ')}) is too short.`,
      )
    const element = data.get ? (at: number) => data.get?.(at) : (at: number) => data[at]
    all ??= ArrayBuffer.isView(data)
      ? new (data.constructor as new (length: number) => Float64Array)(elementCount(shape))
      : new Array(elementCount(shape))
    const origin = coordinates.map((coordinate, axis) => coordinate * chunks[axis])
    const extent = shape.map((size, axis) => Math.min(chunks[axis], size - origin[axis]))
    copyBlock(all, element, { origin, extent, strides, from: chunk.stride })
  }
  return all ?? []
}

/** Copies the block `extent` of a chunk to its position in an array. @param from strides of the chunk */
function copyBlock(
  target: { [at: number]: unknown },
  element: (at: number) => unknown,
  block: { origin: number[]; extent: number[]; strides: number[]; from: readonly number[] },
): void {
  const { origin, extent, strides, from } = block
  const index = extent.map(() => 0)
  const last = extent.length - 1
  for (let n = elementCount(extent); n > 0; n--) {
    let [to, at] = [0, 0]
    for (let axis = 0; axis <= last; axis++) {
      to += (origin[axis] + index[axis]) * strides[axis]
      at += index[axis] * from[axis]
    }
    target[to] = element(at)
    for (let axis = last; axis >= 0; axis--) {
      if (++index[axis] < extent[axis]) break
      index[axis] = 0
    }
  }
}
