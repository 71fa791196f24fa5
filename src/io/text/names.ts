/** metadata.json: what an .npz of Lacuna's says about itself beside its arrays. */
import { InputError } from '../../inputError.ts'
import type { Mode, SparseTensor } from '../../tensor/sparseTensor.ts'

export const MODEL_FORMAT = 'lacuna-model'
export const TENSOR_FORMAT = 'lacuna-tensor'

export interface Names {
  /** One list per mode; null for a mode without labels. */
  labels?: readonly (readonly string[] | null)[]
  modes?: readonly Mode[]
  /** What the values are. */
  value?: string
}

/** Names as JSON holds them, and as tensors and models do. */
export const namesToJson = (from: Pick<SparseTensor, 'labels' | 'modes' | 'valueName'>): Names => ({
  ...(from.labels && { labels: from.labels.map((names) => names ?? null) }),
  ...(from.modes && { modes: from.modes }),
  ...(from.valueName !== undefined && { value: from.valueName }),
})

export const namesFromJson = ({ labels, modes, value }: Names) => ({
  ...(labels && { labels: labels.map((names) => names ?? undefined) }),
  ...(modes && { modes }),
  ...(value !== undefined && { valueName: value }),
})

export function parseMetadata(text: Uint8Array, name: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(text))
    if (isRecord(json)) return json
  } catch {
    // Told below, with the other ways not to be a JSON object.
  }
  throw new InputError(
    'format',
    `${name}: metadata.json is not a JSON object; the file was changed or damaged.`,
  )
}

/** Checks version, dims, labels and modes, which all of Lacuna's files have alike. */
export function readNames(
  metadata: Record<string, unknown>,
  what: string,
  newest: number,
  name: string,
): Names & { dims: number[] } {
  const { version, dims, labels, modes, value } = metadata
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1)
    throw new InputError(
      'format',
      `${name}: the version ${JSON.stringify(version)} is not a whole number from 1.`,
    )
  if (version > newest)
    throw new InputError(
      'format',
      `${name}: the ${what} has version ${version}, but this Lacuna reads up to version ${newest}; install a newer one.`,
    )
  if (!isArrayOf(dims, isNumber)) throw damaged('dims', name)
  if (labels !== undefined && !isArrayOf(labels, isLabels)) throw damaged('labels', name)
  if (modes !== undefined && !isArrayOf(modes, isMode)) throw damaged('modes', name)
  if (value !== undefined && !isString(value)) throw damaged('value', name)
  return { dims, ...(labels && { labels }), ...(modes && { modes }), ...(value !== undefined && { value }) }
}

export function damaged(field: string, name: string): InputError {
  return new InputError(
    'format',
    `${name}: the ${field} in metadata.json cannot be read; the file was changed or damaged.`,
  )
}

export const isNumber = (value: unknown): value is number => typeof value === 'number'
export const isString = (value: unknown): value is string => typeof value === 'string'
export const isMode = (value: unknown): value is Mode =>
  isRecord(value) && isString(value.name) && (value.type === undefined || isString(value.type))
const isLabels = (value: unknown): value is string[] | null => value === null || isStrings(value)
export const isStrings = (value: unknown): value is string[] => isArrayOf(value, isString)

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArrayOf<T>(value: unknown, is: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(is)
}
