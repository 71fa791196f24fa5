/** Diagnostics of an ensemble's components: stability across its models, and core consistency. */
import type { SparseTensor } from '../../tensor/index.ts'
import { coreConsistencyOf } from '../answer/coreConsistency.ts'
import { componentShares } from '../componentShares.ts'
import { factorView } from '../factorView.ts'
import type { CpEnsemble } from './cpEnsemble.ts'

/** Core consistency is computed model by model until this many products (entries × R^N) have been made. */
const MOST_WORK = 1e8

/** Stability of an ensemble's components, and core consistency; plain data. */
export interface EnsembleStability {
  /** Mean factor match score over all pairs of models and their components. */
  match: number
  /** Per component of the first model, the largest first: in how many models it is found. */
  found: number[]
  /**
   * Median core consistency of the models (Bro & Kiers 2003), or of the first ones where it takes long; at
   * most 1, undefined if none.
   */
  coreConsistency?: number
}

/** Computes stability and core consistency. @param tensor the training entries */
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
