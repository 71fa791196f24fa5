/** Copies the state of a learned prior between the buffers of a device, arrays of the process, and the engine's state. */
import { GROUPS } from '../../../kernels/solve/layout.ts'
import { FIRST_LAG_WEIGHT, MOST_LAGS } from '../../cpu/index.ts'
import type { EngineState } from '../../engine.ts'
import type { PosteriorBuffers } from './posteriorBuffers.ts'
import type { PosteriorProblem } from './posteriorModes.ts'
import { readTiles, tileNumbers, writeTiles } from './tiles.ts'

/** The part of the engine's state that a learned prior has. */
export type PosteriorState = Required<
  Pick<
    EngineState,
    | 'moments'
    | 'precisions'
    | 'leverages'
    | 'shared'
    | 'rowMeans'
    | 'couplingWeights'
    | 'variances'
    | 'lagWeights'
  >
>

/** The arrays of a learned prior that are in the process. */
export interface PriorArrays {
  /** σ², c and others: engine/cpu/steps/posterior/posteriorNumbers.ts. */
  numbers: Float32Array
  /** Per mode, μ (R). */
  means: readonly Float32Array[]
  /** Per mode, Σ⁻¹ (R × R). */
  precisions: readonly Float32Array[]
  /** Per mode, the noise variance of each row in units of σ². */
  variances: readonly Float32Array[]
}

/** Reads the state of a learned prior. @param current the factors, each (I × R) */
export async function readPosteriorState(
  { device, tables, shape, form }: PosteriorProblem,
  { covariances, groupMatrices, leverages }: PosteriorBuffers,
  { numbers, means, precisions, variances }: PriorArrays,
  current: readonly Float32Array[],
): Promise<PosteriorState> {
  const { rank } = shape
  const size = tileNumbers(shape)
  const total = tables.rows.length / 4
  const [matrices, all] = await device.read([
    form === 'rows'
      ? { buffer: covariances, byteLength: 4 * total * size }
      : { buffer: groupMatrices, byteLength: 4 * shape.order * (GROUPS + 1) * size },
    { buffer: leverages, byteLength: 4 * total },
  ])
  const moments = tables.modes.map(({ firstRow, rows }, i) => {
    const [first, count] = form === 'rows' ? [firstRow, rows] : [i * (GROUPS + 1), GROUPS + 1]
    const copied = new Float32Array(count * rank * rank)
    for (let p = 0; p < count; p++) copied.set(readTiles(matrices, (first + p) * size, rank), p * rank * rank)
    if (form === 'rows') addOuterProducts(copied, current[i], rank, 1)
    return copied
  })
  return {
    moments,
    precisions: precisions.map((precision) => precision.slice()),
    leverages: tables.modes.map(({ firstRow, rows }) => all.slice(firstRow, firstRow + rows)),
    shared: [numbers.slice()],
    rowMeans: tables.modes.map(({ rows }, i) => {
      const repeated = new Float32Array(rows * rank)
      for (let p = 0; p < rows; p++) repeated.set(means[i], p * rank)
      return repeated
    }),
    couplingWeights: tables.modes.map(({ rows }) => new Float32Array(rows).fill(1)),
    variances: variances.map((ofMode) => ofMode.slice()),
    lagWeights: tables.modes.map(() => new Float32Array(MOST_LAGS).fill(FIRST_LAG_WEIGHT)),
  }
}

/** Replaces the state of a learned prior, but for the noise variances on the device. */
export function writePosteriorState(
  { device, tables, shape, form }: PosteriorProblem,
  { covariances, groupMatrices, leverages }: PosteriorBuffers,
  prior: PriorArrays,
  state: PosteriorState & Pick<EngineState, 'factors'>,
): void {
  const { rank } = shape
  const size = tileNumbers(shape)
  const write = (buffer: GPUBuffer, first: number, numbers: Float32Array): void =>
    device.gpu.queue.writeBuffer(buffer, 4 * first, numbers as Float32Array<ArrayBuffer>)
  prior.numbers.set(state.shared[0])
  tables.modes.forEach(({ firstRow }, i) => {
    prior.precisions[i].set(state.precisions[i])
    prior.means[i].set(state.rowMeans[i].subarray(0, rank))
    prior.variances[i].set(state.variances[i])
    const copied = state.moments[i].slice()
    const count = copied.length / rank ** 2
    if (form === 'rows') addOuterProducts(copied, state.factors[i], rank, -1)
    const tiles = new Float32Array(count * size)
    for (let p = 0; p < count; p++)
      writeTiles(copied.subarray(p * rank * rank, (p + 1) * rank * rank), rank, tiles, p * size)
    if (form === 'rows') write(covariances, firstRow * size, tiles)
    else write(groupMatrices, i * (GROUPS + 1) * size, tiles)
    write(leverages, firstRow, state.leverages[i])
  })
}

/** Adds a aᵀ of every row, times `sign`, to matrices (rows × R × R) in place. */
function addOuterProducts(matrices: Float32Array, factor: Float32Array, rank: number, sign: 1 | -1): void {
  for (let p = 0, at = 0; p < factor.length; p += rank)
    for (let r = 0; r < rank; r++)
      for (let s = 0; s < rank; s++) matrices[at++] += sign * factor[p + r] * factor[p + s]
}
