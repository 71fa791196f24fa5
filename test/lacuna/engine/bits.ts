/** Factors and states as texts, for comparing them to the bit. */
import type { EngineState } from '#lacuna/engine/engine.js'

/** The bits of all elements of some matrices, as text: equal texts mean equal bits. */
export const factorText = (factors: readonly Float32Array[]): string =>
  factors.map((factor) => new Uint32Array(factor.buffer, factor.byteOffset, factor.length).join()).join()

/** The bits of a complete state, as text; absent arrays count as empty. */
export const stateText = ({
  factors,
  momentumFactors = [],
  means,
  scales,
  snapshot = [],
  ...rest
}: EngineState): string => {
  const { moments = [], precisions = [], leverages = [], shared = [] } = rest
  const { rowMeans = [], couplingWeights = [], variances = [], lagWeights = [] } = rest
  const learned = [moments, precisions, leverages, shared, rowMeans, couplingWeights, variances, lagWeights]
  return [factors, momentumFactors, means, scales, snapshot, ...learned].map(factorText).join('\n')
}
