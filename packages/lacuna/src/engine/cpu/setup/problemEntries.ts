/**
 * Sizes, scales, weights and digests that every engine derives from the entries of a problem before it places them.
 */
import { InputError, option, sentence } from '../../../base/inputError.ts'
import type { Communicator } from '../../../comm/index.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import type { Problem } from '../../engine.ts'
import { meanWeightOf } from './meanWeight.ts'

/**
 * The size of a problem, with the options resolved that are functions of `entries`, the number of training
 * entries of all processes. Strata need momentum factors, and exclude zeros and weights.
 */
export function resolveSize(problem: Problem, entries: number, weighted: boolean) {
  const { rank, momentumFactors, zeros = false, probe, posterior, strata = false } = problem
  const isStrata = typeof strata === 'function' ? strata(entries) : strata
  return {
    dims: problem.tensor.dims,
    entries,
    probe: typeof probe === 'function' ? probe(entries) : probe,
    rank,
    momentumFactors,
    zeros,
    posterior: typeof posterior === 'function' ? posterior(entries) : posterior,
    strata: isStrata && momentumFactors && !zeros && !weighted,
    weighted,
  }
}

/** The mean weight of each set whose entries have weights, by name, over all processes. */
export async function meanWeightsOf(
  { tensor, sets = {} }: Problem,
  communicator: Communicator,
): Promise<Map<string, number>> {
  const means = new Map<string, number>()
  for (const [name, set] of Object.entries({ train: tensor, ...sets })) {
    const describeEntry = (e: number): string => (name === 'train' ? `Entry ${e}` : `Entry ${e} of ${name}`)
    const mean = await meanWeightOf(communicator, set, describeEntry)
    if (mean !== undefined) means.set(name, mean)
  }
  return means
}

/** The error for weights where unlisted cells are zeros. */
export function refuseWeightedZeros(): InputError {
  return new InputError(
    'option',
    sentence`With ${option('missing', 'zero')} all cells count alike, and the entries have weights; leave one of the two out.`,
  )
}

/**
 * Chooses the powers of two by which values and factors are multiplied, from Σ x² over the entries. Data of
 * any magnitude, 10⁻³⁰ or 10³⁰, is then solved near 1, where float32 neither overflows nor underflows.
 * Dividing values by 2^(Nj) and factors by 2^j leaves the problem the same; since both are powers of two, no
 * bit of the solution changes.
 */
export function chooseScales(
  squares: number,
  entries: number,
  N: number,
): { values: number; factors: number } {
  const rms = Math.sqrt(squares / entries)
  const j = rms > 0 ? Math.round(Math.log2(rms) / N) : 0
  return { values: 2 ** (-N * j), factors: 2 ** -j }
}

/** The rows without entries, ascending. @param lengths entries of each row */
export function emptyRowsOf(lengths: Uint32Array): Uint32Array {
  let count = 0
  for (let p = 0; p < lengths.length; p++) if (lengths[p] === 0) count++
  const rows = new Uint32Array(count)
  for (let p = 0, i = 0; i < count; p++) if (lengths[p] === 0) rows[i++] = p
  return rows
}

/** Formats a digest: the sizes of the modes, then each word in hexadecimal, joined by `-`. */
export function digestOf(digest: readonly number[], dims: readonly number[]): string {
  return [dims.join('x'), ...digest.map((word) => (word >>> 0).toString(16).padStart(8, '0'))].join('-')
}

/**
 * Throws an InputError for an invalid entry.
 * @param name the name of its set in the message; 'entries' for the training entries
 * @param mode the mode in which its index is too large; undefined if its value is not finite
 */
export function refuseEntry(
  name: string,
  { dims, indices, values }: SparseTensor,
  entry: number,
  mode: number | undefined,
): never {
  const where = name === 'entries' ? `Entry ${entry}` : `Entry ${entry} of ${name}`
  if (mode === undefined)
    throw new InputError('value', `${where} has the value ${values[entry]}; values must be finite.`)
  throw new InputError(
    'index',
    `${where} has index ${indices[mode][entry]} in mode ${mode + 1}; it must be a whole number from 0 to ${dims[mode] - 1}.`,
  )
}
