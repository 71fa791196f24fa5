/**
 * Optional parts of a model file beside the factors: statistics of the training entries (`observed`) and the
 * learned prior. Numbers stand in metadata.json, arrays in .npy files.
 */
import { findShapeFault, type Shape } from '../../base/jsonShape.ts'
import type { CpModelFields, LearnedLags, Prior } from '../../model/index.ts'
import type { Observed } from '../../tensor/index.ts'
import { decodeNpy, type NpzEntries } from '../npz/index.ts'
import { damagedField, isArrayOf, isNumber, isRecord } from '../text/index.ts'

/** The statistics of the training entries and the learned prior; undefined where they are not known. */
type Statistics = Pick<CpModelFields, 'observed' | 'prior'>

/** Returns the numbers of the statistics and the prior for metadata.json; undefined where there are none. */
export function statisticsToJson({ observed, prior }: Statistics): object {
  return {
    observed: observed && pick(observed, ['entries', 'min', 'max', 'mean']),
    prior:
      prior && pick(prior, ['kind', 'sigma2', 'noise', 'least', ...(prior.lags ? ['lags' as const] : [])]),
  }
}

/** Returns an object with only these properties of another. */
const pick = <T extends object>(object: T, keys: readonly (keyof T)[]): object =>
  Object.fromEntries(keys.map((key) => [key, object[key]]))

/**
 * Returns the arrays of the statistics and the prior by their file names: entries_1, mean_1 … (one number per
 * row), prior_mean_1 (R), prior_precision_1 (R × R) …
 */
export function statisticsArrays({ rank, observed, prior }: Statistics & { rank: number }): NpzEntries {
  const arrays: NpzEntries = {}
  observed?.counts.forEach((data, mode) => {
    arrays[`entries_${mode + 1}.npy`] = { shape: [data.length], data }
    arrays[`mean_${mode + 1}.npy`] = { shape: [data.length], data: observed.means[mode] }
  })
  prior?.means.forEach((data, mode) => {
    arrays[`prior_mean_${mode + 1}.npy`] = { shape: [rank], data }
    arrays[`prior_precision_${mode + 1}.npy`] = { shape: [rank, rank], data: prior.precisions[mode] }
  })
  return arrays
}

/**
 * Reads the statistics and the prior that metadata.json announces; throws if a file is missing. Sizes are
 * left to the model's constructor to check.
 * @param counts the number of modes, which have statistics, and of factors, which have priors
 * @param name the .npz, for messages
 */
export function readStatistics(
  files: Record<string, Uint8Array>,
  metadata: Record<string, unknown>,
  counts: readonly [modes: number, factors: number],
  name: string,
): Statistics {
  const [modes, factors] = counts
  /** The arrays stem_1.npy … stem_{length}.npy. */
  const readArrays = <A>(stem: string, length: number, convert: (values: ArrayLike<number>) => A): A[] =>
    Array.from({ length }, (_, mode) => {
      const file = `${stem}_${mode + 1}.npy`
      if (!files[file]) throw damagedField(stem, name)
      return convert(Array.from(decodeNpy(files[file], `${name}, ${file}`).data, Number))
    })
  const { observed, prior } = metadata
  return {
    ...(observed !== undefined && {
      observed: {
        ...readEntrySummary(observed, name),
        counts: readArrays('entries', modes, (values) => Uint32Array.from(values)),
        means: readArrays('mean', modes, (values) => Float32Array.from(values)),
      },
    }),
    ...(prior !== undefined && {
      prior: {
        ...readPriorNumbers(prior, name),
        means: readArrays('prior_mean', factors, (values) => Float32Array.from(values)),
        precisions: readArrays('prior_precision', factors, (values) => Float32Array.from(values)),
      },
    }),
  }
}

/** Checks the number, extremes and mean of the training entries in metadata.json. @param name for messages */
function readEntrySummary(value: unknown, name: string): Omit<Observed, 'counts' | 'means'> {
  if (!isRecord(value)) throw damagedField('summary of entries', name)
  const { entries, min, max, mean } = value
  if (!isNumber(entries) || !isNumber(min) || !isNumber(max) || !isNumber(mean))
    throw damagedField('summary of entries', name)
  return { entries, min, max, mean }
}

/** The shape of LearnedLags in metadata.json. */
const lagsShape: Shape = {
  factor: 'number',
  axis: ['number'],
  unit: 'number',
  lags: ['number'],
  weights: ['number'],
  isCyclic: 'boolean',
  isAutoregressive: 'boolean',
}

/** Checks the kind and noise of the prior in metadata.json. @param name the .npz, for messages */
function readPriorNumbers(value: unknown, name: string): Omit<Prior, 'means' | 'precisions'> {
  if (!isRecord(value)) throw damagedField('prior', name)
  const { kind, sigma2, noise, least, lags } = value
  const isKind = kind === 'learned' || kind === 'isotropic' || kind === 'zeros'
  if (!isKind || !isNumber(sigma2) || !isArrayOf(noise, isNumber) || noise.length !== 3 || !isNumber(least))
    throw damagedField('prior', name)
  if (lags !== undefined && findShapeFault(lags, [lagsShape])) throw damagedField('lags', name)
  return {
    ...{ kind, sigma2, noise: [noise[0], noise[1], noise[2]], least },
    ...(lags !== undefined && { lags: lags as LearnedLags[] }),
  }
}
