/** What is said of an ensemble's components when it is made: whether the models agree on them, and whether they are too many. */
import type { SparseTensor } from '../../tensor/index.ts'
import { coreConsistencyOf } from '../answer/coreConsistency.ts'
import { componentShares } from '../componentShares.ts'
import { factorView } from '../factorView.ts'
import type { CpEnsemble } from './cpEnsemble.ts'

/** Core consistency is looked for model by model, until so many products (entries × R^N) have been made. */
const MOST_WORK = 1e8

/** How far models of folds have the same components; plain data. */
export interface EnsembleStability {
  /** The mean factor match score over all pairs of models and their components. */
  match: number
  /** By the number of the first model's components, the largest first: in how many of the models each is found. */
  found: number[]
  /** The median over the models, or the first of them where it takes long; 1 where components are not joined with one another. */
  coreConsistency?: number
}

export function ensembleStability(model: CpEnsemble, tensor: SparseTensor): EnsembleStability {
  const cores: number[] = []
  let work = 0
  for (const member of model.members) {
    const core = work < MOST_WORK ? coreConsistencyOf(member, tensor) : undefined
    if (core !== undefined) cores.push(core)
    work += tensor.values.length * member.rank ** tensor.dims.length
  }
  const coreConsistency = cores.toSorted((a, b) => a - b)[Math.floor(cores.length / 2)]
  const { match, components } = model.stability()
  const { order } = componentShares(factorView(model))
  return {
    match,
    found: order.map((column) => components[column].in),
    ...(coreConsistency !== undefined && { coreConsistency }),
  }
}
