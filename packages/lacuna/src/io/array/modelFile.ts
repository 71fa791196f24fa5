/**
 * A model as an .npz: factor_1.npy … factor_N.npy, each (I_i × R), unobserved_1.npy … where a factor has rows
 * without entries, entries_1.npy and mean_1.npy …, how many entries each row has had and their mean value,
 * where that is known, prior_mean_1.npy and prior_precision_1.npy …, if a prior was learned, and
 * metadata.json. NumPy reads the factors with numpy.load(file)['factor_1']. Where modes were merged or split,
 * metadata.json has the reshaping, and the factors and what was learned of their rows are those of the
 * reshaped modes. With a link it has the link, and the factors are of √x or log(1 + x). In compact files
 * (compactModel.ts) the factors are float16, or 8-bit with factor_scale_1.npy ….
 */

import type { Bytes } from '../../base/bytes.ts'
import { InputError, inFile } from '../../base/inputError.ts'
import { findShapeFault, type Shape } from '../../base/jsonShape.ts'
import {
  CpModel,
  type CpModelFields,
  type Link,
  PredictionModel,
  type TrainingRecord,
} from '../../model/index.ts'
import { type ResolvedReshaping, reshapedModes, resolveReshaping } from '../../tensor/index.ts'
import {
  decodeNpy,
  displayName,
  encodeNpz,
  type NpyData,
  type NpzEntries,
  npzChunks,
  type UnpackOptions,
  unpackNpz,
} from '../npz/index.ts'
import {
  damagedField,
  ENSEMBLE_VERSION,
  isNumber,
  isRecord,
  MODEL_FORMAT,
  MODEL_VERSION,
  type Names,
  namesFromJson,
  namesToJson,
  parseMetadata,
  readNames,
  TENSOR_FORMAT,
} from '../text/index.ts'
import { readStatistics, statisticsArrays, statisticsToJson } from './modelStatistics.ts'

/** The version of files with a reshaping but without a link; 3 are ensembles. */
const RESHAPED_VERSION = 2

/** The contents of metadata.json, checked; without a reshaping in the file, `reshaping` has empty lists. */
interface Metadata extends Names {
  dims: readonly number[]
  rank: number
  reshaping: ResolvedReshaping
  link?: Link
  training: TrainingRecord
}

/** The JSON of a reshaping, under the key `arrangement`. */
const reshapingShape: Shape = {
  mergeModes: [['number']],
  split: [{ mode: 'number', into: ['number'], offset: 'number' }],
}
/** The JSON of a link. */
const linkShape: Shape = { name: 'string', variance: ['number'], least: 'number', mean: 'number' }
/** The version of files without a reshaping and a link, which releases without reshaping can open, too. */
const PLAIN_VERSION = 1

/** Encodes a model as an .npz file, which NumPy opens: factor_1, factor_2 … */
export const encodeModel = (model: CpModel): Bytes => encodeNpz(modelEntries(model))

/** Encodes a model as `encodeModel` does, in chunks, of which the factors are views. */
export const modelChunks = (model: CpModel): Generator<Uint8Array> => npzChunks(modelEntries(model))

/** Returns the files of a model's .npz by name: metadata.json and the arrays. */
export function modelEntries(model: CpModel): NpzEntries {
  const { dims, rank, factors, reshaping, unobserved, link, training } = model
  const version = link ? MODEL_VERSION : reshaping ? RESHAPED_VERSION : PLAIN_VERSION
  const about = {
    ...{ format: MODEL_FORMAT, version, dims, rank },
    ...namesToJson(model),
    arrangement: reshaping,
    link,
    ...statisticsToJson(model),
    training,
  }
  const entries: NpzEntries = {
    'metadata.json': new TextEncoder().encode(`${JSON.stringify(about, null, 1)}\n`),
  }
  factors.forEach((data, mode) => {
    entries[`factor_${mode + 1}.npy`] = { shape: [data.length / rank, rank], data }
    if (unobserved[mode].length > 0)
      entries[`unobserved_${mode + 1}.npy`] = { shape: [unobserved[mode].length], data: unobserved[mode] }
  })
  Object.assign(entries, statisticsArrays(model))
  return entries
}

/**
 * Decodes a model from the bytes of an .npz; throws if it is damaged or no model.
 * @param name for messages
 */
export function decodeModel(bytes: Uint8Array, name: string, options?: UnpackOptions): CpModel {
  return decodeModelFiles(unpackNpz(bytes, name, options), name)
}

/**
 * Decodes a model from the unpacked files of its .npz; throws if they are damaged.
 * @param name for messages
 */
export function decodeModelFiles(files: Record<string, Uint8Array>, name: string): CpModel {
  const fields = decodeFields(files, name)
  return inFile(name, () => new CpModel(fields))
}

/**
 * Decodes a model for predictions alone; throws if it is damaged, no model, or an ensemble.
 * @param name for messages
 */
export function decodePredictionModel(
  bytes: Uint8Array,
  name: string,
  options?: UnpackOptions,
): PredictionModel {
  const fields = decodeFields(unpackNpz(bytes, name, options), name)
  return inFile(name, () => new PredictionModel(fields))
}

/** Decodes the fields of a model from the unpacked files of its .npz. */
function decodeFields(files: Record<string, Uint8Array>, name: string): CpModelFields {
  const { dims, rank, reshaping, link, training, ...names } = readMetadata(files, name)
  const sizes = inFile(name, () => reshapedModes(resolveReshaping(reshaping, { dims }), dims).dims)
  return {
    dims,
    rank,
    factors: sizes.map((size, mode) => readFactor(files, mode, [size, rank], name)),
    reshaping,
    ...namesFromJson(names),
    unobserved: sizes.map((_, mode) => readUnobserved(files, mode, name)),
    ...readStatistics(files, parseMetadata(files['metadata.json'], name), [dims.length, sizes.length], name),
    link,
    training,
  }
}

/** Reads and checks metadata.json of a model; throws if it is missing, damaged, or that of another format. */
function readMetadata(files: Record<string, Uint8Array>, name: string): Metadata {
  const text = files['metadata.json']
  if (text === undefined)
    throw new InputError(
      'format',
      `${name}: there is no metadata.json, so this is no Lacuna model; give one that Lacuna wrote.`,
    )
  const metadata = parseMetadata(text, name)
  if (metadata.members !== undefined)
    throw new InputError(
      'format',
      `${name}: this is an ensemble of models, which this cannot be done with; give a single model.`,
    )
  if (metadata.format === TENSOR_FORMAT)
    throw new InputError('format', `${name}: this is a tensor, not a model; learn a model from it first.`)
  if (metadata.format !== MODEL_FORMAT)
    throw new InputError(
      'format',
      `${name}: the format is ${displayName(JSON.stringify(metadata.format) ?? 'not given')}, not "${MODEL_FORMAT}"; give a model that Lacuna wrote.`,
    )
  const names = readNames(metadata, 'model', MODEL_VERSION, name)
  // Ensembles have members.
  if (metadata.version === ENSEMBLE_VERSION) throw damagedField('members', name)
  const { rank, training, link, arrangement: reshaping = { mergeModes: [], split: [] } } = metadata
  if (!isNumber(rank)) throw damagedField('rank', name)
  if (training !== undefined && !isRecord(training)) throw damagedField('training record', name)
  if (findShapeFault(reshaping, reshapingShape)) throw damagedField('arrangement', name)
  const isLinked = metadata.version === MODEL_VERSION
  if (isLinked ? findShapeFault(link, linkShape) : link !== undefined) throw damagedField('link', name)
  return {
    ...names,
    rank,
    reshaping: reshaping as ResolvedReshaping,
    link: link as Link | undefined,
    training: training ?? {},
  }
}

/**
 * Reads factor_{mode + 1}.npy: float32, float16, or 8-bit numbers with a scale per row. Throws if it is missing or of
 * another type or shape.
 */
function readFactor(
  files: Record<string, Uint8Array>,
  mode: number,
  shape: number[],
  name: string,
): Float32Array {
  const file = `factor_${mode + 1}.npy`
  if (files[file] === undefined)
    throw new InputError('format', `${name}: ${file} is missing; the model needs one factor per mode.`)
  const factor = decodeNpy(files[file], `${name}, ${file}`)
  if (factor.shape.length !== 2 || factor.shape.some((size, axis) => size !== shape[axis]))
    throw new InputError(
      'format',
      `${name}: ${file} has the shape (${factor.shape.join(', ')}), but the metadata says (${shape.join(', ')}).`,
    )
  const scaleFile = `factor_scale_${mode + 1}.npy`
  if (factor.data instanceof Uint8Array && files[scaleFile])
    return scaleRows(factor.data, decodeNpy(files[scaleFile], `${name}, ${scaleFile}`).data, shape, name)
  if (!(factor.data instanceof Float32Array))
    throw new InputError(
      'format',
      `${name}: ${file} does not hold float32 numbers; save it with .astype('<f4').`,
    )
  return factor.data
}

/** The largest 8-bit number. */
export const LARGEST_BYTE = 255

/** Multiplies the 8-bit numbers of each row by its scale; throws unless there is one for each row. */
function scaleRows(
  bytes: Uint8Array,
  scales: NpyData,
  [rows, rank]: readonly number[],
  name: string,
): Float32Array {
  if (!(scales instanceof Float32Array) || scales.length !== rows) throw damagedField('factor_scale', name)
  return Float32Array.from(bytes, (byte, at) => byte * scales[Math.floor(at / rank)])
}

/**
 * Reads the rows of a factor that have no entries, from unobserved_{mode + 1}.npy; empty if that is missing.
 */
function readUnobserved(files: Record<string, Uint8Array>, mode: number, name: string): Uint32Array {
  const file = `unobserved_${mode + 1}.npy`
  return files[file]
    ? Uint32Array.from(decodeNpy(files[file], `${name}, ${file}`).data, Number)
    : new Uint32Array(0)
}
