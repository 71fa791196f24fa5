/**
 * A run's state as bytes, to be kept or sent elsewhere: a line that says what this is, JSON, the arrays one after another
 * in little-endian float32, and a CRC-32 of everything before it. A factor of the state is not copied on the way out.
 */
import { crc32 } from '../crc32.ts'
import type { EngineState } from '../engine/engine.ts'
import { InputError } from '../inputError.ts'
import { type Shape, shapeFault } from '../jsonShape.ts'
import { checkSettings } from './checkSettings.ts'
import type { Progress, RunState } from './runState.ts'
import type { Settings } from './settings.ts'

const MAGIC = 'lacuna run\n'
const VERSION = 2
/** The magic, the version, and the length of the JSON. */
const HEAD_BYTES = MAGIC.length + 8

const matrices = [
  'factors',
  'companions',
  'means',
  'scales',
  'kept',
  'moments',
  'precisions',
  'leverages',
  'shared',
  'rowMeans',
  'ties',
  'variances',
  'lagWeights',
] as const

interface Header {
  settings: Partial<Settings>
  digest: string
  progress: Progress
  /** How many numbers each array has, in the order of `matrices` and of the modes. */
  arrays: { [name in (typeof matrices)[number]]?: number[] }
}

/** A run as the bytes of a file, in pieces, to go on from elsewhere. */
export function encodeRun({ settings, digest, progress, engine }: RunState): Uint8Array[] {
  const arrays = matrices.flatMap((name) => engine[name] ?? [])
  const header: Header = {
    // JSON has no Infinity: what is off is left out.
    settings: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== Infinity)),
    digest,
    progress,
    arrays: Object.fromEntries(
      matrices.flatMap((name) => (engine[name] ? [[name, engine[name].map(({ length }) => length)]] : [])),
    ),
  }
  const json = new TextEncoder().encode(JSON.stringify(header))
  const head = new Uint8Array(HEAD_BYTES)
  head.set(new TextEncoder().encode(MAGIC))
  const view = new DataView(head.buffer)
  view.setUint32(MAGIC.length, VERSION, true)
  view.setUint32(MAGIC.length + 4, json.length, true)
  const chunks = [
    head,
    json,
    ...arrays.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  ]
  const end = new Uint8Array(4)
  new DataView(end.buffer).setUint32(
    0,
    chunks.reduce((crc, chunk) => crc32(chunk, crc), 0),
    true,
  )
  return [...chunks, end]
}

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
const header: Shape = {
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

/** `name` is how messages call the file. */
export function decodeRun(bytes: Uint8Array, name: string): RunState {
  const fault = (what: string): InputError => new InputError('format', `${name}: ${what}`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < HEAD_BYTES || new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC)
    throw fault('this is no saved run; give one that Lacuna wrote.')
  const version = view.getUint32(MAGIC.length, true)
  if (version !== VERSION)
    throw fault(`this is version ${version} of saved runs, and this Lacuna reads version ${VERSION}.`)
  const damaged = (): InputError =>
    fault('the saved run is damaged or cut short; start anew, or from another copy.')
  const end = bytes.length - 4
  if (end < HEAD_BYTES || crc32(bytes.subarray(0, end)) !== view.getUint32(end, true)) throw damaged()
  const jsonEnd = HEAD_BYTES + view.getUint32(MAGIC.length + 4, true)
  if (jsonEnd > end) throw damaged()
  const { settings, digest, progress, arrays } = readHeader(bytes.subarray(HEAD_BYTES, jsonEnd), name)

  let at = jsonEnd
  const read = (length: number): Float32Array => {
    if (!Number.isInteger(length) || length < 0 || at + 4 * length > end) throw damaged()
    const array = new Float32Array(length)
    new Uint8Array(array.buffer).set(bytes.subarray(at, at + 4 * length))
    at += 4 * length
    return array
  }
  const engine = Object.fromEntries(
    matrices.flatMap((matrix) => (arrays[matrix] ? [[matrix, arrays[matrix].map(read)]] : [])),
  ) as unknown as EngineState
  return { settings, digest, progress, engine }
}

function readHeader(json: Uint8Array, name: string): Header & { settings: Settings } {
  let value: Header
  try {
    value = JSON.parse(new TextDecoder().decode(json))
  } catch (cause) {
    throw new InputError('format', `${name}: what it says of the run is no JSON; start anew.`, { cause })
  }
  const fault = shapeFault(value, header)
  if (fault) throw new InputError('format', `${name}: ${fault}; this is no run that Lacuna saved.`)
  try {
    const left = { epochs: Infinity, seconds: Infinity, patience: Infinity, mergeModes: [], split: [] }
    const whole = { ...left, ...value.settings }
    return { ...value, settings: checkSettings(whole as Settings) }
  } catch (error) {
    throw error instanceof InputError ? error.within(name) : error
  }
}
