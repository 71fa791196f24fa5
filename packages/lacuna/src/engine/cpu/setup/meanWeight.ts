/** The mean weight of a set of entries. */
import { InputError } from '../../../base/inputError.ts'
import type { Communicator } from '../../../comm/index.ts'
import { type SparseTensor, unitOf } from '../../../tensor/index.ts'

/**
 * The mean weight of a set's entries over all processes; undefined if they have no weights. Weights are
 * divided by it, so that λ and σ² have the same scale as without weights. The bits depend neither on the
 * order of the entries nor on which process has them. Throws an InputError if a weight is not positive and
 * finite.
 * @param where names an entry in messages
 */
export async function meanWeightOf(
  communicator: Communicator,
  { values, weights }: SparseTensor,
  where: (entry: number) => string,
): Promise<number | undefined> {
  const own = await communicator.failTogether(() => largest(weights ?? new Float32Array(), where))
  const all = await communicator.allGatherNumbers(weights ? 1 : 0, own, values.length)
  const isWeighted = ([has, , entries]: readonly number[]): boolean => has === 1 || entries === 0
  if (!all.some(([has]) => has === 1)) return undefined
  if (!all.every(isWeighted)) throw new Error('Some processes have entries with weights, and others without.')
  const unit = unitOf({ min: 0, max: Math.max(...all.map(([, most]) => most)) })
  let sum = 0
  for (const weight of weights ?? []) sum += Math.round(weight / unit)
  const sums = await communicator.allGatherNumbers(sum)
  // Whole numbers: the order of the additions does not matter.
  const total = sums.reduce((total, [one]) => total + one, 0)
  return (total * unit) / all.reduce((count, [, , entries]) => count + entries, 0)
}

function largest(weights: Float32Array, where: (entry: number) => string): number {
  let most = 0
  for (let e = 0; e < weights.length; e++) {
    const weight = weights[e]
    if (!(weight > 0 && weight < Infinity))
      throw new InputError(
        'value',
        `${where(e)} has the weight ${weight}; weights must be finite and above 0.`,
      )
    if (weight > most) most = weight
  }
  return most
}
