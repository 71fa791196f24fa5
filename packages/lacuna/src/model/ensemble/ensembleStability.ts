/** Diagnostics of an ensemble's components: stability across its models, and core consistency. */
import type { SparseTensor } from '../../tensor/index.ts'
import { coreConsistencyOf, coreWork } from '../answer/coreConsistency.ts'
import { componentShares } from '../componentShares.ts'
import { leadingMembers } from '../factored.ts'
import { factorView } from '../factorView.ts'
import type { CpEnsemble } from './cpEnsemble.ts'

/** Products (`coreWork`) after which the core consistency of further models is not computed. */
const MOST_WORK = 1e8

/** Stability of an ensemble's components, and core consistency; plain data. */
export interface EnsembleStability {
  /** Mean factor match score over all pairs of models and their components. */
  match: number
  /** For each component of the first model, the one with the largest share first: how many models have it. */
  found: number[]
  /**
   * Median core consistency of the models (Bro & Kiers 2003), or of the first ones where it takes long; at
   * most 1, undefined if none.
   */
  coreConsistency?: number
}

/**
 * The stability of an ensemble's components, and the median core consistency of its models.
 * @param tensor the training entries
 */
export function ensembleStability(model: CpEnsemble, tensor: SparseTensor): EnsembleStability {
  const cores: number[] = []
  let work = 0
  for (const member of leadingMembers(model)) {
    const core = work < MOST_WORK ? coreConsistencyOf(member, tensor) : undefined
    if (core !== undefined) cores.push(core)
    work += coreWork(tensor.dims, tensor.values.length, member.rank)
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
