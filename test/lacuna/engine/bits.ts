/** What an engine holds as text: two that are equal are so to the bit. */
import type { EngineState } from '#lacuna/engine/engine.js'

export const bytesOf = (factors: readonly Float32Array[]): string =>
  factors.map((factor) => new Uint32Array(factor.buffer, factor.byteOffset, factor.length).join()).join()

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
  return [factors, momentumFactors, means, scales, snapshot, ...learned].map(bytesOf).join('\n')
}
