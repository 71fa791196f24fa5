/**
 * Parts of a model file beside the factors, all optional: entries and means of rows, and the learned prior.
 */
import type { CpModelFields, Prior } from '../../model/index.ts'
import type { Observed } from '../../tensor/index.ts'
import { decodeNpy, type NpzEntries } from '../npz/index.ts'
import { damagedField, isArrayOf, isNumber, isRecord } from '../text/index.ts'

type Knowledge = Pick<CpModelFields, 'observed' | 'prior'>

/** The numbers of metadata.json. */
export function knowledgeToJson({ observed, prior }: Knowledge): object {
  return {
    observed: observed && pick(observed, ['entries', 'min', 'max', 'mean']),
    prior: prior && pick(prior, ['kind', 'sigma2', 'noise', 'least']),
  }
}

/** Some properties of an object. */
const pick = <T extends object>(from: T, keys: readonly (keyof T)[]): object =>
  Object.fromEntries(keys.map((key) => [key, from[key]]))

/** The arrays of the .npz. */
export function knowledgeArrays({ rank, observed, prior }: Knowledge & { rank: number }): NpzEntries {
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

/** Reads these parts; the model checks their sizes. */
export function readKnowledge(
  files: Record<string, Uint8Array>,
  metadata: Record<string, unknown>,
  [modes, factors]: readonly [number, number],
  name: string,
): Knowledge {
  const columns = <A>(stem: string, order: number, from: (values: ArrayLike<number>) => A): A[] =>
    Array.from({ length: order }, (_, mode) => {
      const file = `${stem}_${mode + 1}.npy`
      if (!files[file]) throw damagedField(stem, name)
      return from(Array.from(decodeNpy(files[file], `${name}, ${file}`).data, Number))
    })
  const { observed, prior } = metadata
  return {
    ...(observed !== undefined && {
      observed: {
        ...readNumbers(observed, name),
        counts: columns('entries', modes, (values) => Uint32Array.from(values)),
        means: columns('mean', modes, (values) => Float32Array.from(values)),
      },
    }),
    ...(prior !== undefined && {
      prior: {
        ...readNoise(prior, name),
        means: columns('prior_mean', factors, (values) => Float32Array.from(values)),
        precisions: columns('prior_precision', factors, (values) => Float32Array.from(values)),
      },
    }),
  }
}

/** The counts and extremes of the training entries. */
function readNumbers(value: unknown, name: string): Omit<Observed, 'counts' | 'means'> {
  if (!isRecord(value)) throw damagedField('summary of entries', name)
  const { entries, min, max, mean } = value
  if (!isNumber(entries) || !isNumber(min) || !isNumber(max) || !isNumber(mean))
    throw damagedField('summary of entries', name)
  return { entries, min, max, mean }
}

/** The noise model of the prior. */
function readNoise(value: unknown, name: string): Omit<Prior, 'means' | 'precisions'> {
  if (!isRecord(value)) throw damagedField('prior', name)
  const { kind, sigma2, noise, least } = value
  const isKind = kind === 'learned' || kind === 'isotropic' || kind === 'zeros'
  if (!isKind || !isNumber(sigma2) || !isArrayOf(noise, isNumber) || noise.length !== 3 || !isNumber(least))
    throw damagedField('prior', name)
  return { kind, sigma2, noise: [noise[0], noise[1], noise[2]], least }
}
