/**
 * A model as an .npz: factor_1.npy … factor_N.npy, each (I_i × R), unobserved_1.npy … where a mode has rows
 * without entries, entries_1.npy and mean_1.npy …, how many entries each row has had and their mean value, where that is
 * known, prior_mean_1.npy and prior_precision_1.npy …, if a prior was learned, and metadata.json. NumPy reads the factors
 * with numpy.load(file)['factor_1'].
 */

import type { Bytes } from '../../bytes.ts'
import { InputError } from '../../inputError.ts'
import { CpModel, type TrainingRecord } from '../../model/cpModel.ts'
import { decodeNpy } from '../npz/npy.ts'
import { encodeNpz, type NpzEntries, type UnpackOptions, unpackNpz } from '../npz/npz.ts'
import {
  damaged,
  isNumber,
  isRecord,
  MODEL_FORMAT,
  type Names,
  namesFromJson,
  namesToJson,
  parseMetadata,
  readNames,
  TENSOR_FORMAT,
} from '../text/names.ts'
import { knowledgeArrays, knowledgeToJson, readKnowledge } from './modelKnowledge.ts'

const VERSION = 1

interface Metadata extends Names {
  dims: readonly number[]
  rank: number
  training: TrainingRecord
}

/** The model as an .npz file, which NumPy opens: factor_1, factor_2 … */
export function encodeModel(model: CpModel): Bytes {
  const { dims, rank, factors, unobserved, training } = model
  const about = {
    ...{ format: MODEL_FORMAT, version: VERSION, dims, rank },
    ...namesToJson(model),
    ...knowledgeToJson(model),
    training,
  }
  const entries: NpzEntries = {
    'metadata.json': new TextEncoder().encode(`${JSON.stringify(about, null, 1)}\n`),
  }
  factors.forEach((data, mode) => {
    entries[`factor_${mode + 1}.npy`] = { shape: [dims[mode], rank], data }
    if (unobserved[mode].length > 0)
      entries[`unobserved_${mode + 1}.npy`] = { shape: [unobserved[mode].length], data: unobserved[mode] }
  })
  Object.assign(entries, knowledgeArrays(model))
  return encodeNpz(entries)
}

/** `name` is how messages call the file. */
export function decodeModel(bytes: Uint8Array, name: string, options?: UnpackOptions): CpModel {
  const files = unpackNpz(bytes, name, options)
  const { dims, rank, training, ...names } = readMetadata(files, name)
  const factors = dims.map((dim, mode) => readFactor(files, mode, [dim, rank], name))
  try {
    return new CpModel({
      dims,
      rank,
      factors,
      ...namesFromJson(names),
      unobserved: dims.map((_, mode) => readUnobserved(files, mode, name)),
      ...readKnowledge(files, parseMetadata(files['metadata.json'], name), dims.length, name),
      training,
    })
  } catch (error) {
    if (error instanceof InputError) throw error.within(name)
    throw error
  }
}

function readMetadata(files: Record<string, Uint8Array>, name: string): Metadata {
  const text = files['metadata.json']
  if (text === undefined)
    throw new InputError(
      'format',
      `${name}: there is no metadata.json, so this is no Lacuna model; give one that Lacuna wrote.`,
    )
  const metadata = parseMetadata(text, name)
  if (metadata.format === TENSOR_FORMAT)
    throw new InputError('format', `${name}: this is a tensor, not a model; learn a model from it first.`)
  if (metadata.format !== MODEL_FORMAT)
    throw new InputError(
      'format',
      `${name}: the format is ${JSON.stringify(metadata.format)}, not "${MODEL_FORMAT}"; give a model that Lacuna wrote.`,
    )
  const names = readNames(metadata, 'model', VERSION, name)
  const { rank, training } = metadata
  if (!isNumber(rank)) throw damaged('rank', name)
  if (training !== undefined && !isRecord(training)) throw damaged('training record', name)
  return { ...names, rank, training: training ?? {} }
}

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
  if (!(factor.data instanceof Float32Array))
    throw new InputError(
      'format',
      `${name}: ${file} does not hold float32 numbers; save it with .astype('<f4').`,
    )
  if (factor.shape.length !== 2 || factor.shape.some((size, axis) => size !== shape[axis]))
    throw new InputError(
      'format',
      `${name}: ${file} has the shape (${factor.shape.join(', ')}), but the metadata says (${shape.join(', ')}).`,
    )
  return factor.data
}

function readUnobserved(files: Record<string, Uint8Array>, mode: number, name: string): Uint32Array {
  const file = `unobserved_${mode + 1}.npy`
  return files[file]
    ? Uint32Array.from(decodeNpy(files[file], `${name}, ${file}`).data, Number)
    : new Uint32Array(0)
}
