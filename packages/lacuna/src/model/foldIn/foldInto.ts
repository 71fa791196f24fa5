/** Fold-in of entries that are given by label or as a tensor: the fields of the larger model. */
import { resolveReshaping, type SparseTensor } from '../../tensor/index.ts'
import { align, alignRows, type NewEntry, valueNameOf } from '../ensemble/align.ts'
import type { Factored, Predictor } from '../factored.ts'
import type { CpModelFields, FoldInOptions, TrainingRecord } from '../modelFields.ts'
import { foldInEntries } from './foldIn.ts'
import { foldIntoMerged } from './foldIntoMerged.ts'
import { lambdaPrior } from './lambdaPrior.ts'

/** The fields of a model that takes new entries. */
type FoldInModel = CpModelFields & Pick<Predictor, 'unobserved'> & { training: TrainingRecord }

/**
 * Solves new rows, and with `update` existing ones, from new entries; where modes were merged, pairs without
 * entries. Throws if there are new rows of a mode that was split, or existing rows are to be updated where modes were merged
 * or split.
 */
export function foldInto(
  model: FoldInModel,
  entries: Iterable<NewEntry> | SparseTensor,
  options: FoldInOptions,
): CpModelFields {
  const { value = valueNameOf(model), update = false } = options
  const member: Factored = model as Omit<FoldInModel, 'reshaping'>
  const predictor: Predictor = { ...(model as Omit<FoldInModel, 'reshaping'>), members: [member] }
  const tensor = 'indices' in entries ? align(predictor, entries) : alignRows(predictor, entries, value)
  const prior = model.prior ?? lambdaPrior(model)
  if (model.reshaping) {
    const reshaping = resolveReshaping(model.reshaping, model)
    const merged = { ...member, unobserved: model.unobserved, observed: model.observed, prior, reshaping }
    return { ...model, ...foldIntoMerged(merged, tensor, update), labels: tensor.labels }
  }
  const folded = foldInEntries({
    model: { ...member, unobserved: model.unobserved, observed: model.observed, prior },
    entries: tensor,
    update,
  })
  const { dims, factors, unobserved, observed } = folded
  return { ...model, ...{ dims, factors, unobserved, observed, labels: tensor.labels } }
}
