/** An ensemble whose members are replaced by models that were fitted to all entries. */
import { cOrderOf, pickEntries, type SparseTensor } from '../../tensor/index.ts'
import type { CpModel } from '../cpModel.ts'
import { predictByKernel } from '../foldKernel.ts'
import { CpEnsemble } from './cpEnsemble.ts'
import { residualsOf } from './neighbours/neighbours.ts'

/**
 * Returns an ensemble with other models in place of its members; weights, intervals and errors stay. Predictions are then
 * corrected by the residuals of these models.
 * @param members as many as before, in their order
 * @param tensor the entries that the ensemble was made of
 */
export function replaceMembers(
  ensemble: CpEnsemble,
  members: readonly CpModel[],
  tensor: SparseTensor,
): CpEnsemble {
  const { dims, labels, modes, weights, observed, intervals, neighbours, training } = ensemble
  const shared = { dims, labels, modes, weights, observed, intervals, training }
  if (!neighbours) return new CpEnsemble({ ...shared, members })
  // The correction has the entries in C order.
  const order = cOrderOf(tensor)
  const { values, indices } = order ? pickEntries(tensor, order) : tensor
  const predictions = new Float64Array(values.length)
  members.forEach((member, k) => {
    const weight = weights?.[k] ?? 1 / members.length
    predictByKernel(member, indices).forEach((y, e) => {
      predictions[e] += weight * y
    })
  })
  const { isRelative, least } = neighbours
  const residuals = residualsOf(values, Float32Array.from(predictions), isRelative ? least : 0)
  return new CpEnsemble({ ...shared, members, neighbours: { ...neighbours, residuals } })
}
