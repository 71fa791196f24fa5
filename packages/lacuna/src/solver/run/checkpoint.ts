/**
 * The checkpoint of a run: its state as bytes, JSON and then the arrays one after another in little-endian
 * float32, in a frame. Encoding does not copy the arrays.
 */

import { InputError } from '../../base/inputError.ts'
import { findShapeFault, type Shape } from '../../base/jsonShape.ts'
import type { EngineState } from '../../engine/engine.ts'
import { selectionShape } from '../select/trials.ts'
import { checkSettings } from '../settings/checkSettings.ts'
import type { Settings } from '../settings/settings.ts'
import { type FrameKind, frame, unframe } from './frame.ts'
import type { Progress, RunState } from './runState.ts'

/** First line and version of the file. */
const KIND: FrameKind = { magic: 'lacuna run\n', version: 2, what: 'saved run' }

/**
 * The arrays of the engine's state in the order in which they follow the header, with their names in files.
 */
const matrices = [
  ['factors', 'factors'],
  ['momentumFactors', 'companions'],
  ['means', 'means'],
  ['scales', 'scales'],
  ['snapshot', 'kept'],
  ['moments', 'moments'],
  ['precisions', 'precisions'],
  ['leverages', 'leverages'],
  ['shared', 'shared'],
  ['rowMeans', 'rowMeans'],
  ['couplingWeights', 'ties'],
  ['variances', 'variances'],
  ['lagWeights', 'lagWeights'],
] as const

/** The JSON of the checkpoint. */
interface Header {
  settings: Partial<Settings>
  digest: string
  progress: Progress
  /** Length of each array, by its name in files and in the order of the modes. */
  arrays: { [name in (typeof matrices)[number][1]]?: number[] }
}

/** Encodes the state of a run as the bytes of a file, in pieces that are to be written one after another. */
export function encodeRun({ settings, digest, progress, engine }: RunState): Uint8Array[] {
  const arrays = matrices.flatMap(([name]) => engine[name] ?? [])
  const header: Header = {
    settings: writableSettings(settings),
    digest,
    progress,
    arrays: Object.fromEntries(
      matrices.flatMap(([name, inFile]) =>
        engine[name] ? [[inFile, engine[name].map(({ length }) => length)]] : [],
      ),
    ),
  }
  return frame(
    KIND,
    header,
    arrays.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  )
}

/** Shapes that the JSON must have: of an error, a report, and the whole. */
const error: Shape = { relative: 'number', rmse: 'number', mae: 'number', entries: 'number' }
const report: Shape = {
  epoch: 'number',
  seconds: 'number',
  updateSeconds: 'number',
  train: error,
  'validation?': error,
  'watch?': 'object',
  sample: 'number',
  lambda: 'number',
}
const headerShape: Shape = {
  settings: 'object',
  digest: 'string',
  progress: {
    iterations: 'number',
    epoch: 'number',
    seconds: 'number',
    updateSeconds: 'number',
    reports: [report],
    best: report,
    learned: 'boolean',
    'round?': { iterations: 'number', done: 'number', sample: 'number', lambda: 'number', step: 'object' },
    method: 'object',
    'stopped?': 'string',
    'selection?': selectionShape,
  },
  arrays: {
    factors: ['number'],
    'companions?': ['number'],
    means: ['number'],
    scales: ['number'],
    'kept?': ['number'],
    'moments?': ['number'],
    'precisions?': ['number'],
    'leverages?': ['number'],
    'shared?': ['number'],
    'rowMeans?': ['number'],
    'ties?': ['number'],
    'variances?': ['number'],
    'lagWeights?': ['number'],
  },
}

/**
 * Decodes the bytes that `encodeRun` made; throws an InputError if they are no saved run or damaged.
 * @param name of the file, for error messages
 */
export function decodeRun(bytes: Uint8Array, name: string): RunState {
  const { header, body } = unframe(KIND, bytes, name)
  const { settings, digest, progress, arrays } = readHeader(header, name)
  let at = 0
  /** Copies the next `length` numbers of the body. */
  const read = (length: number): Float32Array => {
    if (!Number.isInteger(length) || length < 0 || at + 4 * length > body.length)
      throw new InputError(
        'format',
        `${name}: the saved run is damaged or cut short; start anew, or from another copy.`,
      )
    const array = new Float32Array(length)
    new Uint8Array(array.buffer).set(body.subarray(at, at + 4 * length))
    at += 4 * length
    return array
  }
  const engine = Object.fromEntries(
    matrices.flatMap(([name, inFile]) => (arrays[inFile] ? [[name, arrays[inFile].map(read)]] : [])),
  ) as unknown as EngineState
  return { settings, digest, progress, engine }
}

/**
 * Checks the JSON of a checkpoint and fills in limits that are off; throws if its shape or settings are
 * invalid.
 * @param name of the file, for error messages
 */
function readHeader(value: unknown, name: string): Header & { settings: Settings } {
  const fault = findShapeFault(value, headerShape)
  if (fault) throw new InputError('format', `${name}: ${fault}; this is no run that Lacuna saved.`)
  const header = value as Header
  return { ...header, settings: readSettings(header.settings, name) }
}

/**
 * Settings as they are written: limits that are off are left out, as JSON has no Infinity, and so is the link
 * of runs on the values themselves, which earlier releases can then resume.
 */
export const writableSettings = (settings: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings).filter(
      ([name, value]) => value !== Infinity && !(name === 'link' && value === 'identity'),
    ),
  )

/** Settings that every checkpoint has: all but limits, and those that have no default. */
const REQUIRED_SETTINGS = [
  ...(['rank', 'missing', 'prior', 'noise', 'loss', 'maxInner'] as const),
  ...(['seed', 'lambda', 'sample', 'tolerance'] as const),
] as const

/**
 * Settings from the JSON of a checkpoint; limits that are left out are off, and the link is 'identity'. Throws
 * if they are invalid.
 * @param name of the file, for error messages
 */
export function readSettings(written: Partial<Settings>, name: string): Settings {
  const missing = REQUIRED_SETTINGS.find((name) => written[name] === undefined)
  if (missing !== undefined)
    throw new InputError(
      'format',
      `${name}: the setting ${missing} is missing; this is no run that Lacuna saved.`,
    )
  const limits = { epochs: Infinity, seconds: Infinity, patience: Infinity }
  const off = { ...limits, mergeModes: [], split: [], link: 'identity', timePrior: 'coupled' }
  try {
    return checkSettings({ ...off, ...written } as Settings)
  } catch (error) {
    throw error instanceof InputError ? error.within(name) : error
  }
}
