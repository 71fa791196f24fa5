/**
 * Copies the state of a problem (EngineState) between arrays of the main thread and the memories of the CPU engine's
 * partitions, where the rows of matrices have the length of the padded rank.
 */
import { type EngineState, GROUP_MATRICES, type LearnedPrior } from '../engine.ts'
import { MOST_LAGS, type ModeLayout } from './memory/layout.ts'
import type { LoadedPartitions } from './setup/load.ts'
import { readNoise, SHARED_NUMBERS } from './steps/posterior/posteriorNumbers.ts'

/** Copies the current factors, or those of the last snapshot, out of the first partition: each (I × R). */
export function readFactors(loaded: LoadedPartitions, which: 'current' | 'snapshot'): Float32Array[] {
  const { layout } = loaded.parts[0]
  return layout.modes.map(({ factor }, mode) =>
    readRows(loaded, 0, which === 'snapshot' ? layout.snapshot[mode] : factor, mode),
  )
}

/** Writes the factors, each (I × R), to all partitions, and resets momentum. */
export function writeFactors(loaded: LoadedPartitions, factors: readonly Float32Array[]): void {
  loaded.parts.forEach(({ layout }, k) => {
    layout.modes.forEach(({ factor, momentumFactor }, mode) => {
      writeRows(loaded, k, factor, mode, factors[mode])
      if (momentumFactor) writeRows(loaded, k, momentumFactor, mode, factors[mode])
    })
  })
}

/** Copies the complete state out of the first partition, which must have all momentum factors. */
export function readWholeState(loaded: LoadedPartitions): EngineState {
  const { parts, momentumFactors, posterior, rank } = loaded
  const [{ memory, layout }] = parts
  const vector = (address: number): Float32Array => new Float32Array(memory.buffer, address, rank).slice()
  return {
    factors: readFactors(loaded, 'current'),
    ...(momentumFactors && {
      momentumFactors: layout.modes.map(({ momentumFactor }, mode) =>
        readRows(loaded, 0, momentumFactor, mode),
      ),
    }),
    means: layout.modes.map(({ mean }) => vector(mean)),
    scales: layout.modes.map(({ scale }) => vector(scale)),
    snapshot: readFactors(loaded, 'snapshot'),
    ...(posterior && readPosterior(loaded)),
  }
}

/** Writes the complete state to all partitions. */
export function writeWholeState(loaded: LoadedPartitions, state: EngineState): void {
  const { factors, momentumFactors, means, scales, snapshot } = state
  loaded.parts.forEach(({ memory, layout }, k) => {
    layout.modes.forEach(({ factor, momentumFactor, mean, scale }, mode) => {
      writeRows(loaded, k, factor, mode, factors[mode])
      if (momentumFactor) writeRows(loaded, k, momentumFactor, mode, momentumFactors?.[mode] ?? factors[mode])
      // The padding of the rank takes no part: any finite v > 0 will do there.
      new Float32Array(memory.buffer, mean, layout.padded).fill(0).set(means[mode])
      new Float32Array(memory.buffer, scale, layout.padded).fill(1).set(scales[mode])
    })
    if (snapshot)
      for (const [mode, address] of layout.snapshot.entries())
        writeRows(loaded, k, address, mode, snapshot[mode])
  })
  if (state.moments) writePosterior(loaded, state)
}

/** Copies the learned prior out of the first partition; undefined before the first 'posterior' step. */
export function readPrior(loaded: LoadedPartitions): LearnedPrior | undefined {
  const { parts, posterior, rank } = loaded
  if (!posterior) return undefined
  const [{ memory, layout }] = parts
  const noise = readNoise(new Float32Array(memory.buffer, layout.posterior, SHARED_NUMBERS))
  if (!noise) return undefined
  return {
    ...noise,
    means: layout.modes.map(({ mean }) => new Float32Array(memory.buffer, mean, rank).slice()),
    precisions: layout.modes.map(({ precision }) => readMatrices(loaded, precision, 1)),
    lagWeights: readLagWeights(loaded),
  }
}

/** The arrays of the state that a learned prior has, copied from the first partition. */
function readPosterior(loaded: LoadedPartitions): Partial<EngineState> {
  const [{ memory, layout }] = loaded.parts
  const { modes } = layout
  return {
    moments: modes.map((mode) => {
      const { address, count } = savedMatrices(mode)
      return readMatrices(loaded, address, count)
    }),
    precisions: modes.map(({ precision }) => readMatrices(loaded, precision, 1)),
    leverages: modes.map(({ leverages, rows }) => new Float32Array(memory.buffer, leverages, rows).slice()),
    rowMeans: modes.map(({ rowMeans }, mode) => readRows(loaded, 0, rowMeans, mode)),
    couplingWeights: modes.map(({ couplingWeights, rows }) =>
      new Float32Array(memory.buffer, couplingWeights, rows).slice(),
    ),
    variances: modes.map(({ variances, rows }) => new Float32Array(memory.buffer, variances, rows).slice()),
    lagWeights: readLagWeights(loaded),
    shared: [new Float32Array(memory.buffer, layout.posterior, SHARED_NUMBERS).slice()],
  }
}

/** Copies `count` matrices out of the first partition, without their padding: (count × R × R). */
function readMatrices(loaded: LoadedPartitions, address: number, count: number): Float32Array {
  const { parts, rank } = loaded
  const [{ memory, layout }] = parts
  const { padded } = layout
  const from = new Float32Array(memory.buffer, address, count * padded * padded)
  const copy = new Float32Array(count * rank * rank)
  for (let p = 0; p < count; p++) {
    // The last rows of a padded matrix, from R on, are padding.
    const [begin, end] = [p * padded * padded, (p * padded + rank) * padded]
    copyRows(from, padded, begin, end, copy, rank, p * rank * rank)
  }
  return copy
}

/** Writes the arrays of the state that a learned prior has to all partitions. */
function writePosterior(loaded: LoadedPartitions, state: EngineState): void {
  const { moments, precisions, leverages, shared, rowMeans, couplingWeights, variances, lagWeights } = state
  const { parts, rank } = loaded
  parts.forEach(({ memory, layout }, k) => {
    const { padded, modes } = layout
    /** Writes `count` matrices (R × R), padded with zeros. */
    const writeMatrices = (address: number, count: number, from: Float32Array): void => {
      const into = new Float32Array(memory.buffer, address, count * padded * padded).fill(0)
      for (let p = 0; p < count; p++)
        copyRows(from, rank, p * rank * rank, (p + 1) * rank * rank, into, padded, p * padded * padded)
    }
    modes.forEach((mode, i) => {
      const { address, count } = savedMatrices(mode)
      writeMatrices(address, count, moments![i])
      writeMatrices(mode.precision, 1, precisions![i])
      new Float32Array(memory.buffer, mode.leverages, mode.rows).set(leverages![i])
      writeRows(loaded, k, mode.rowMeans, i, rowMeans![i])
      new Float32Array(memory.buffer, mode.couplingWeights, mode.rows).set(couplingWeights![i])
      new Float32Array(memory.buffer, mode.variances, mode.rows).set(variances![i])
      new Float32Array(memory.buffer, mode.lagWeights, MOST_LAGS).set(lagWeights![i])
    })
    new Float32Array(memory.buffer, layout.posterior, SHARED_NUMBERS).set(shared![0])
  })
}

/** The weights of the lags of each mode, copied from the first partition. */
function readLagWeights(loaded: LoadedPartitions): Float32Array[] {
  const [{ memory, layout }] = loaded.parts
  return layout.modes.map(({ lagWeights }) => new Float32Array(memory.buffer, lagWeights, MOST_LAGS).slice())
}

/** Copies a matrix of a mode out of partition k, without the padding of its rows: (I × R). */
function readRows(loaded: LoadedPartitions, k: number, address: number, mode: number): Float32Array {
  const { memory, layout } = loaded.parts[k]
  const { rank } = loaded
  const { padded } = layout
  const { rows } = layout.modes[mode]
  const from = new Float32Array(memory.buffer, address, rows * padded)
  const matrix = new Float32Array(rows * rank)
  if (rank === padded) matrix.set(from)
  else copyRows(from, padded, 0, from.length, matrix, rank, 0)
  return matrix
}

/** Copies a matrix (I × R) of a mode to an address in partition k, and pads its rows with zeros. */
function writeRows(
  loaded: LoadedPartitions,
  k: number,
  address: number,
  mode: number,
  matrix: Float32Array,
): void {
  const { memory, layout } = loaded.parts[k]
  const { rank } = loaded
  const { padded } = layout
  const { rows } = layout.modes[mode]
  const into = new Float32Array(memory.buffer, address, rows * padded)
  if (rank === padded) {
    into.set(matrix)
    return
  }
  into.fill(0) // the padding must not hold NaN or infinity
  copyRows(matrix, rank, 0, matrix.length, into, padded, 0)
}

/**
 * The address and number of the matrices of a mode that a saved state has: the moments of all rows, or V of
 * each group and the mean of a aᵀ.
 */
const savedMatrices = ({ moments, rows, covariances }: ModeLayout): { address: number; count: number } =>
  covariances ? { address: covariances, count: GROUP_MATRICES } : { address: moments, count: rows }

/**
 * Copies rows of numbers to rows of another length, as far as both reach. Number by number: a view of each row
 * would be garbage of a hundred bytes.
 * @param width numbers of a row in `from`, whose rows from `begin` to `end` are copied
 * @param intoWidth numbers of a row in `into`, where they are written from `at` on
 */
function copyRows(
  from: Float32Array,
  width: number,
  begin: number,
  end: number,
  into: Float32Array,
  intoWidth: number,
  at: number,
): void {
  const both = Math.min(width, intoWidth)
  for (let row = begin, to = at; row < end; row += width, to += intoWidth)
    for (let r = 0; r < both; r++) into[to + r] = from[row + r]
}
