/** Side information of rows, by the names of modes: lags and attributes. */

import { InputError, option, sentence } from '../../base/inputError.ts'
import type { Features, SideInformation } from '../../engine/engine.ts'
import { modeNumber, type ReshapedModes, type SparseTensor, wholeMode } from '../../tensor/index.ts'
import { type CoupledMode, coupleAxis } from '../time/axis.ts'

/**
 * Distances at which rows of ordered modes are similar, by name of the mode or its number from 1. Several modes
 * that count time together, from the slowest to the fastest and joined by +, are one axis: { 'day+slot': [1,
 * 108] }.
 */
export type Lags = Readonly<Record<string, readonly number[]>>
/** The prior of rows with lags: see `RunOptions.timePrior`. */
export type TimePrior = 'coupled' | 'autoregressive'
/** Attributes of rows as numbers, by name of the mode or its number from 1. */
export type FeatureSets = Readonly<Record<string, Features>>

/** Most lags of a mode. */
const MOST_LAGS = 16
/** Most attributes of a mode: their products are summed in every sweep, which takes long for more. */
const MOST_COLUMNS = 512

/**
 * Throws unless lags are lists of 1 to 16 different whole numbers from 1, by mode; `sideInformationOf` checks
 * the modes.
 */
export function checkLags(lags: Lags): void {
  if (typeof lags !== 'object' || lags === null)
    throw new InputError('option', sentence`${option('lags')} must be lists of distances, by modes.`)
  for (const [mode, distances] of Object.entries(lags)) {
    const isSound =
      Array.isArray(distances) && distances.every((lag) => Number.isSafeInteger(lag) && lag >= 1)
    if (!isSound || distances.length === 0 || new Set(distances).size < distances.length)
      throw new InputError(
        'option',
        sentence`${option('lags')} of ${mode} is ${String(distances)}; it must be different whole numbers from 1.`,
      )
    if (distances.length > MOST_LAGS)
      throw new InputError(
        'option',
        sentence`${option('lags')} of ${mode} has ${distances.length} distances; ${MOST_LAGS} are the most.`,
      )
  }
}

/** Lags as typed, sorted by mode: `day=7 hour=1,24`; '' for none. */
export const lagsText = (lags: Lags = {}): string =>
  Object.keys(lags)
    .sort()
    .map((mode) => `${mode}=${lags[mode].join()}`)
    .join(' ')

/**
 * Lags and attributes per reshaped mode; undefined if there are none. Throws if a mode does not exist, a
 * distance does not fit the modes, or attributes have the wrong size or are of a merged or split mode.
 * @param tensor the tensor as given, whose modes lags and attributes name
 * @param modes the modes that the factors have
 */
export function sideInformationOf(
  tensor: Pick<SparseTensor, 'dims' | 'modes'>,
  modes: ReshapedModes,
  { lags, timePrior }: { lags: Lags; timePrior: TimePrior },
  features: FeatureSets = {},
): (SideInformation | undefined)[] | undefined {
  const sideInformation: (SideInformation | undefined)[] = modes.dims.map(() => undefined)
  for (const { mode, side } of coupledModes(tensor, modes, { lags, timePrior })) sideInformation[mode] = side
  for (const [name, given] of Object.entries(features)) {
    const mode = modeNumber(tensor, name, option('features'))
    checkFeatures(name, given, tensor.dims[mode])
    const reshapedMode = wholeMode(modes, mode)
    if (reshapedMode === undefined)
      throw new InputError(
        'option',
        sentence`${option('features')} is of mode ${tensor.modes?.[mode]?.name ?? mode + 1}, which is merged or split; leave one of them out.`,
      )
    sideInformation[reshapedMode] = { ...sideInformation[reshapedMode], features: given }
  }
  return sideInformation.some((side) => side) ? sideInformation : undefined
}

/**
 * The reshaped modes that lags couple, with the rows and the prior of each. Throws if a mode does not exist, a
 * distance does not fit the modes, or two lags couple rows of the same mode.
 */
export function coupledModes(
  tensor: Pick<SparseTensor, 'dims' | 'modes'>,
  modes: ReshapedModes,
  { lags, timePrior }: { lags: Lags; timePrior: TimePrior },
): CoupledMode[] {
  const found: CoupledMode[] = []
  for (const [name, distances] of Object.entries(lags))
    for (const coupled of coupleAxis(tensor, modes, name, distances)) {
      if (found.some(({ mode }) => mode === coupled.mode))
        throw new InputError(
          'option',
          sentence`${option('lags')} of ${name} are of rows that other ${option('lags')} couple already; leave one of them out.`,
        )
      // A cyclic mode has no first row, so that no row comes before all others.
      const isAutoregressive = timePrior === 'autoregressive' && !coupled.side.isCyclic
      const ascending = coupled.side.lags.toSorted((a, b) => a - b)
      found.push(
        isAutoregressive
          ? { ...coupled, side: { ...coupled.side, isAutoregressive, lags: ascending } }
          : coupled,
      )
    }
  return found
}

/**
 * Throws unless attributes are (rows × columns) finite numbers, of at most 512 columns.
 * @param name the mode, as messages name it
 */
function checkFeatures(name: string, { columns, values }: Features, rows: number): void {
  const featuresError = (what: string): InputError =>
    new InputError('option', sentence`${option('features')} of ${name} ${what}`)
  if (!(Number.isSafeInteger(columns) && columns >= 1 && values instanceof Float32Array))
    throw featuresError('must be { columns, values }, the values being a Float32Array.')
  if (columns > MOST_COLUMNS) throw featuresError(`has ${columns} columns; ${MOST_COLUMNS} are the most.`)
  if (values.length !== rows * columns)
    throw featuresError(`has ${values.length} values; ${rows} rows of ${columns} are ${rows * columns}.`)
  if (!values.every(Number.isFinite)) throw featuresError('has values that are not finite.')
}

/** Text with an FNV-1a hash of each mode's attributes, by which a checkpoint recognizes them; '' for none. */
export function featuresDigest(features: FeatureSets = {}): string {
  const words: string[] = []
  for (const name of Object.keys(features).sort()) {
    const { columns, values } = features[name]
    let hash = 2166136261
    for (const byte of new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
      hash = Math.imul(hash ^ byte, 16777619)
    words.push(`|${name}:${columns}:${(hash >>> 0).toString(16)}`)
  }
  return words.join('')
}
