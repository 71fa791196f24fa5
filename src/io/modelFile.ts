/**
 * A model as an .npz: factor_1.npy … factor_N.npy, each (I_i × R), unobserved_1.npy … where a mode has rows without
 * entries, and metadata.json. NumPy reads the factors with numpy.load(file)['factor_1'].
 */
import { InputError } from '../inputError.ts'
import { CpModel, type TrainingRecord } from '../model/cpModel.ts'
import type { Mode } from '../tensor/sparseTensor.ts'
import { decodeNpz, encodeNpz, type NpzEntries } from './npz.ts'

const FORMAT = 'lacuna-model'
const VERSION = 1

interface Metadata {
  format: typeof FORMAT
  version: number
  dims: readonly number[]
  rank: number
  /** One list per mode; null for a mode without names. */
  labels?: readonly (readonly string[] | null)[]
  modes?: readonly Mode[]
  training: TrainingRecord
}

export function encodeModel(model: CpModel): Uint8Array<ArrayBuffer> {
  const { dims, rank, factors, labels, modes, unobserved, training } = model
  const metadata: Metadata = {
    format: FORMAT,
    version: VERSION,
    dims,
    rank,
    ...(labels && { labels: labels.map((names) => names ?? null) }),
    ...(modes && { modes }),
    training,
  }
  const entries: NpzEntries = {
    'metadata.json': new TextEncoder().encode(`${JSON.stringify(metadata, null, 1)}\n`),
  }
  factors.forEach((data, mode) => {
    entries[`factor_${mode + 1}.npy`] = { shape: [dims[mode], rank], data }
    if (unobserved[mode].length > 0)
      entries[`unobserved_${mode + 1}.npy`] = { shape: [unobserved[mode].length], data: unobserved[mode] }
  })
  return encodeNpz(entries)
}

/** `name` is how messages call the file. */
export function decodeModel(bytes: Uint8Array, name: string): CpModel {
  const entries = decodeNpz(bytes, name)
  const { dims, rank, labels, modes, training } = readMetadata(entries, name)
  const factors = dims.map((dim, mode) => readFactor(entries, mode, [dim, rank], name))
  try {
    return new CpModel({
      dims,
      rank,
      factors,
      ...(labels && { labels: labels.map((names) => names ?? undefined) }),
      ...(modes && { modes }),
      unobserved: dims.map((_, mode) => readUnobserved(entries, mode)),
      training,
    })
  } catch (error) {
    if (error instanceof InputError) throw new InputError(`${name}: ${error.message}`)
    throw error
  }
}

function readMetadata(entries: NpzEntries, name: string): Metadata {
  const text = entries['metadata.json']
  if (!(text instanceof Uint8Array))
    throw new InputError(
      `${name}: there is no metadata.json, so this is no Lacuna model; give one that Lacuna wrote.`,
    )
  const metadata = parseJson(text, name)
  if (metadata.format !== FORMAT)
    throw new InputError(
      `${name}: the format is ${JSON.stringify(metadata.format)}, not "${FORMAT}"; give a model that Lacuna wrote.`,
    )
  const { version, dims, rank, labels, modes, training } = metadata
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new InputError(`${name}: the version ${JSON.stringify(version)} is not a whole number from 1.`)
  if (version > VERSION)
    throw new InputError(
      `${name}: the model has version ${version}, but this Lacuna reads up to version ${VERSION}; install a newer one.`,
    )
  const damaged = (field: string) =>
    new InputError(`${name}: the ${field} in metadata.json cannot be read; the file was changed or damaged.`)
  if (!isArrayOf(dims, isNumber)) throw damaged('dims')
  if (!isNumber(rank)) throw damaged('rank')
  if (labels !== undefined && !isArrayOf(labels, isLabels)) throw damaged('labels')
  if (modes !== undefined && !isArrayOf(modes, isMode)) throw damaged('modes')
  if (training !== undefined && !isRecord(training)) throw damaged('training record')
  return {
    ...{ format: FORMAT, version, dims, rank, training: training ?? {} },
    ...(labels && { labels }),
    ...(modes && { modes }),
  }
}

function parseJson(text: Uint8Array, name: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(text))
    if (isRecord(json)) return json
  } catch {
    // Told below, with the other ways not to be a JSON object.
  }
  throw new InputError(`${name}: metadata.json is not a JSON object; the file was changed or damaged.`)
}

function readFactor(entries: NpzEntries, mode: number, shape: number[], name: string): Float32Array {
  const file = `factor_${mode + 1}.npy`
  const factor = entries[file]
  if (factor === undefined || factor instanceof Uint8Array)
    throw new InputError(`${name}: ${file} is missing; the model needs one factor per mode.`)
  if (!(factor.data instanceof Float32Array))
    throw new InputError(`${name}: ${file} does not hold float32 numbers; save it with .astype('<f4').`)
  if (factor.shape.length !== 2 || factor.shape.some((size, axis) => size !== shape[axis]))
    throw new InputError(
      `${name}: ${file} has the shape (${factor.shape.join(', ')}), but the metadata says (${shape.join(', ')}).`,
    )
  return factor.data
}

function readUnobserved(entries: NpzEntries, mode: number): Uint32Array {
  const rows = entries[`unobserved_${mode + 1}.npy`]
  return rows === undefined || rows instanceof Uint8Array
    ? new Uint32Array(0)
    : Uint32Array.from(rows.data, Number)
}

const isNumber = (value: unknown): value is number => typeof value === 'number'
const isString = (value: unknown): value is string => typeof value === 'string'
const isMode = (value: unknown): value is Mode =>
  isRecord(value) && isString(value.name) && (value.type === undefined || isString(value.type))
const isLabels = (value: unknown): value is string[] | null => value === null || isArrayOf(value, isString)

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isArrayOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(is)
}
