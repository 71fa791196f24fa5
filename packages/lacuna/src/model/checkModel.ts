/** Checks the fields of a model. */
import { InputError } from '../base/inputError.ts'
import type { Observed } from '../tensor/index.ts'
import type { Prior } from './factored.ts'
import { type Link, linkNames } from './predict/link.ts'

/**
 * Throws unless the rank is a whole number from 1 and there is one factor of dims[i] × rank values per mode.
 * @param dims sizes of the modes, or of the reshaped modes
 */
export function checkShapes(dims: readonly number[], rank: number, factors: readonly Float32Array[]): void {
  if (!Number.isInteger(rank) || rank < 1)
    throw new InputError('shape', `The rank of the model is ${rank}; it must be a whole number from 1.`)
  if (factors.length !== dims.length)
    throw new InputError('shape', `The model has ${dims.length} modes but ${factors.length} factors.`)
  dims.forEach((dim, mode) => {
    if (factors[mode].length !== dim * rank)
      throw new InputError(
        'shape',
        `Factor ${mode + 1} has ${factors[mode].length} values; ${dim} rows of rank ${rank} need ${dim * rank}.`,
      )
  })
}

/** Throws if a factor has a value that is negative or not finite; the message names its row and column. */
export function checkFactors(rank: number, factors: readonly Float32Array[]): void {
  factors.forEach((factor, mode) => {
    for (let i = 0; i < factor.length; i++) {
      if (factor[i] >= 0 && factor[i] < Infinity) continue
      const row = Math.floor(i / rank)
      throw new InputError(
        'value',
        `Factor ${mode + 1} has the value ${factor[i]} in row ${row + 1}, column ${(i % rank) + 1} (counting from 1); factors must be finite and not negative.`,
      )
    }
  })
}

/** Throws unless there is a list of labels per mode, undefined or with one label per row. */
export function checkLabels(
  dims: readonly number[],
  labels: readonly (readonly string[] | undefined)[],
): void {
  if (labels.length !== dims.length)
    throw new InputError('shape', `The model has ${dims.length} modes but ${labels.length} lists of labels.`)
  labels.forEach((names, mode) => {
    if (names && names.length !== dims[mode])
      throw new InputError('shape', `Mode ${mode + 1} has ${names.length} labels for ${dims[mode]} indices.`)
  })
}

/**
 * Throws if statistics of the training entries are not finite or do not fit the sizes of the modes: they may
 * come from any file.
 */
export function checkObserved(dims: readonly number[], observed: Observed): void {
  const { entries, min, max, mean, counts, means } = observed
  const isSound =
    [entries, min, max, mean].every(Number.isFinite) &&
    min <= max &&
    counts.length === dims.length &&
    means.length === dims.length &&
    dims.every((dim, mode) => counts[mode].length === dim && means[mode].length === dim)
  if (!isSound)
    throw new InputError(
      'shape',
      'What the model says of the entries that it has seen does not fit its sizes.',
    )
}

/**
 * Throws if the kind of a prior is unknown, a number out of range, or an array of a size that does not fit.
 */
export function checkPrior(dims: readonly number[], rank: number, prior: Prior): void {
  const { kind, sigma2, noise, least, means, precisions, lags = [] } = prior
  const isSound =
    ['learned', 'isotropic', 'zeros'].includes(kind) &&
    [sigma2, least, ...noise].every((x) => Number.isFinite(x) && x >= 0) &&
    noise.length === 3 &&
    means.length === dims.length &&
    precisions.length === dims.length &&
    means.every((mean) => mean.length === rank && mean.every((x) => x >= 0 && x < Infinity)) &&
    precisions.every((matrix) => matrix.length === rank * rank && matrix.every(Number.isFinite)) &&
    lags.every(
      (own) =>
        Number.isInteger(own.factor) &&
        own.factor >= 0 &&
        own.factor < dims.length &&
        own.lags.every((lag) => Number.isSafeInteger(lag) && lag >= 1) &&
        own.weights.length === own.lags.length &&
        own.weights.every(Number.isFinite),
    )
  if (!isSound)
    throw new InputError('shape', 'What the model says of its prior does not fit its rank and sizes.')
}

/** Throws if the name of a link is unknown or a number of it out of range: it may come from any file. */
export function checkLink({ name, variance, least, mean }: Link): void {
  const isSound =
    linkNames.slice(1).includes(name) &&
    variance.length === 3 &&
    [...variance, least, mean].every((x) => Number.isFinite(x) && x >= 0)
  if (!isSound) throw new InputError('value', 'What the model says of its link is not valid.')
}
