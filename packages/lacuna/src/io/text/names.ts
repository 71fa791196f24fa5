/**
 * The names of modes, labels and values as JSON: in metadata.json of Lacuna's .npz files, and at the head of
 * .tns files. Files are not trusted: a mode is rebuilt from closed lists of types and binnings, and no text
 * of a file is ever executed.
 */
import { InputError } from '../../base/inputError.ts'
import { isNestedTooDeep } from '../../base/jsonShape.ts'
import { type BinningName, binningNames, columnType } from '../../labels/index.ts'
import type { Mode, ModeSource, SparseTensor } from '../../tensor/index.ts'
import { abbreviate } from './escape.ts'

/** The value of `format` in metadata.json of a model. */
export const MODEL_FORMAT = 'lacuna-model'
/**
 * The last version of model files that can be read: of models and ensembles with a link, which releases that
 * know none refuse. 1 and 2 are single models, 3 is an ensemble.
 */
export const MODEL_VERSION = 4
/** The version of ensembles without a link. */
export const ENSEMBLE_VERSION = 3
/** The value of `format` in metadata.json of a tensor. */
export const TENSOR_FORMAT = 'lacuna-tensor'

/** Labels, modes and value name as JSON holds them. */
export interface Names {
  /** One list per mode; null for a mode without labels. */
  labels?: readonly (readonly string[] | null)[]
  modes?: readonly Mode[]
  /** The name of the values. */
  value?: string
}

/** The names of a tensor or model as JSON; null stands for a mode without labels. */
export const namesToJson = (tensor: Pick<SparseTensor, 'labels' | 'modes' | 'valueName'>): Names => ({
  labels: tensor.labels?.map((names) => names ?? null),
  modes: tensor.modes,
  value: tensor.valueName,
})

/** The names of a tensor or model from JSON: the inverse of namesToJson. Absent names have no property. */
export const namesFromJson = ({ labels, modes, value }: Names) => ({
  ...(labels && { labels: labels.map((names) => names ?? undefined) }),
  ...(modes && { modes }),
  ...(value !== undefined && { valueName: value }),
})

/** Parses metadata.json; throws if it is no JSON object, or one that is nested too deep. @param name the file, as messages call it */
export function parseMetadata(text: Uint8Array, name: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(text))
    if (isRecord(json) && !isNestedTooDeep(json)) return json
  } catch {
    // Reported below.
  }
  throw new InputError(
    'format',
    `${name}: metadata.json is not a JSON object; the file was changed or damaged.`,
  )
}

/**
 * Reads the dims and names in metadata.json, which all of Lacuna's files have. Throws if one of them is not
 * valid, or the version is newer than `newest`.
 * @param what the kind of file, as messages call it
 * @param newest the last version that can be read
 * @param name the file, as messages call it
 */
export function readNames(
  metadata: Record<string, unknown>,
  what: string,
  newest: number,
  name: string,
): Names & { dims: number[] } {
  const { version, dims, labels, modes: given, value } = metadata
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new InputError(
      'format',
      `${name}: the version ${abbreviate(JSON.stringify(version) ?? '(none)')} is not a whole number from 1.`,
    )
  if (version > newest)
    throw new InputError(
      'format',
      `${name}: the ${what} has version ${version}, but this Lacuna reads up to version ${newest}; install a newer one.`,
    )
  if (!isArrayOf(dims, isNumber)) throw damagedField('dims', name)
  if (labels !== undefined && !isArrayOf(labels, isLabels)) throw damagedField('labels', name)
  labels?.forEach((own, mode) => {
    const repeated = own && findRepeated(own)
    if (repeated !== undefined && repeated !== null)
      throw new InputError(
        'format',
        `${name}: mode ${mode + 1} has the label "${abbreviate(repeated)}" twice in metadata.json; the file was changed or damaged.`,
      )
  })
  const modes = given === undefined ? undefined : readModes(given)
  if (given !== undefined && !modes) throw damagedField('modes', name)
  if (value !== undefined && !isString(value)) throw damagedField('value', name)
  return { dims, ...(labels && { labels }), ...(modes && { modes }), ...(value !== undefined && { value }) }
}

/** The first text that a list has twice; undefined if all differ. */
export function findRepeated(texts: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return texts.find((text) => seen.size === seen.add(text).size)
}

/**
 * The modes of a file, from JSON; undefined if one of them is not valid or has an unknown type or binning.
 */
export function readModes(value: unknown): Mode[] | undefined {
  if (!Array.isArray(value)) return undefined
  const modes = value.map(readMode)
  return modes.every((mode) => mode !== undefined) ? modes : undefined
}

/** A mode from JSON; undefined if it is not valid or has an unknown type or binning. */
function readMode(value: unknown): Mode | undefined {
  if (!isRecord(value) || !isString(value.name)) return undefined
  const type = isString(value.type) ? columnType(value.type) : undefined
  if (value.type !== undefined && type === undefined) return undefined
  const from = value.from === undefined ? undefined : readSource(value.from)
  if (value.from !== undefined && from === undefined) return undefined
  return { name: value.name, ...(type && { type }), ...(from && { from }) }
}

/** The column and binning that a mode is made of, from JSON; undefined if they are not valid. */
function readSource(value: unknown): ModeSource | undefined {
  if (!isRecord(value) || !isString(value.column)) return undefined
  const { column, binning, argument, dates, timezone } = value
  if (binning !== undefined && !(binningNames as readonly unknown[]).includes(binning)) return undefined
  if (argument !== undefined && !(isNumber(argument) && Number.isFinite(argument))) return undefined
  if (dates !== undefined && !isStrings(dates)) return undefined
  if (timezone !== undefined && !isString(timezone)) return undefined
  return {
    column,
    ...(binning !== undefined && { binning: binning as BinningName }),
    ...(argument !== undefined && { argument }),
    ...(dates !== undefined && { dates }),
    ...(timezone !== undefined && { timezone }),
  }
}

/** The error for a field of metadata.json that is not valid. @param name the file, as messages call it */
export function damagedField(field: string, name: string): InputError {
  return new InputError(
    'format',
    `${name}: the ${field} in metadata.json cannot be read; the file was changed or damaged.`,
  )
}

/** Whether a value of JSON is a number. */
export const isNumber = (value: unknown): value is number => typeof value === 'number'
/** Whether a value of JSON is a string. */
export const isString = (value: unknown): value is string => typeof value === 'string'
/** Whether a value of JSON is the labels of a mode: a list of strings, or null for none. */
const isLabels = (value: unknown): value is string[] | null => value === null || isStrings(value)
/** Whether a value of JSON is a list of strings. */
export const isStrings = (value: unknown): value is string[] => isArrayOf(value, isString)

/** Whether a value of JSON is an object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value of JSON is a list whose items all pass a test. */
export function isArrayOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem)
}
