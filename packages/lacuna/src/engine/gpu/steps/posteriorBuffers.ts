/** The buffers of a learned prior on a device. P is the number of rows of all modes, T the numbers of a matrix in tiles. */
import { InputError } from '../../../base/inputError.ts'
import { formatBytes } from '../../../base/memory.ts'
import { GROUPS, NOISE_BINS } from '../../../kernels/solve/layout.ts'
import type { Covariances } from '../../engine.ts'
import type { Device } from '../device.ts'
import type { Shape } from '../shape.ts'
import type { Tables } from '../tables.ts'
import { ADDED_ROWS } from '../wgsl/posteriorModes.ts'
import { priorNumbers } from '../wgsl/posteriorRows.ts'
import { posteriorSumQuads } from '../wgsl/posteriorSums.ts'
import { MOST_PRODUCT_BLOCKS } from '../wgsl/zeros.ts'
import type { ModeGroups } from './posteriorGroups.ts'
import { tileNumbers } from './tiles.ts'

/** Most workgroups that bin residuals: each writes bins of its own. */
export const MOST_NOISE_GROUPS = 2048

/** Buffers of a learned prior. */
export interface PosteriorBuffers {
  /** Per mode, σ²Σ⁻¹ and μ (priorNumbers). */
  priors: GPUBuffer[]
  /** (P × T) V of every row; or (slots × T) V of the sampled rows of the current mode. */
  covariances: GPUBuffer
  /** (N × (GROUPS + 1) × T) V of each group, then the mean of a aᵀ over the entries; a stub for 'rows'. */
  groupMatrices: GPUBuffer
  /** (P) */
  leverages: GPUBuffer
  /** (P) Noise variances of rows in units of σ². */
  variances: GPUBuffer
  /** (P) The group of each row; a stub for 'rows'. */
  groups: GPUBuffer
  /** (P × 4) Three sums per row (wgsl/posteriorRows.ts), and its slot. */
  rowSums: GPUBuffer
  /** Per mode, ModeGroups.slots; none for 'rows'. */
  slots: GPUBuffer[]
  /** (GROUPS) The mean number of determined parameters of the rows of each group. */
  determined: GPUBuffer
  /** (MOST_PRODUCT_BLOCKS × T) */
  blockProducts: GPUBuffer
  /** (N × 2 × T) Per mode the sum of (a − μ)(a − μ)ᵀ, then that of V. */
  products: GPUBuffer
  /** (blocks × 2) Sums of `rowSums` over blocks of rows of every mode. */
  rowTotals: GPUBuffer
  /** (MOST_NOISE_GROUPS × NOISE_BINS × 4) */
  noiseBins: GPUBuffer
  /** Sums over the segments of a batch. */
  sums: GPUBuffer
}

/** The number of blocks of rows of the modes before `mode` in `rowTotals`. */
export const blocksBefore = ({ modes }: Tables, mode: number): number =>
  modes.slice(0, mode).reduce((sum, { rows }) => sum + Math.ceil(rows / ADDED_ROWS), 0)

/**
 * Creates the buffers. Throws an InputError if the device may not bind as much as they take.
 * @param groups of every mode; none if every row has its own covariance
 * @param groupOf the group of each row
 * @param segments the most segments of a batch
 * @param own registers a buffer with its owner, which destroys it
 */
export function createPosteriorBuffers(
  device: Device,
  tables: Tables,
  shape: Shape,
  form: Covariances,
  groups: readonly ModeGroups[],
  groupOf: Uint32Array,
  segments: number,
  own: (buffer: GPUBuffer) => GPUBuffer,
): PosteriorBuffers {
  const { modes, rows } = tables
  const total = rows.length / 4
  const matrix = 4 * tileNumbers(shape)
  const isGrouped = form === 'groups'
  const slots = isGrouped ? Math.max(...groups.map((mode) => mode.slots[GROUPS])) : total
  const sums = 16 * posteriorSumQuads(shape, form).all * segments
  const largest = Math.max(sums, slots * matrix)
  if (largest > device.maxBindingBytes)
    throw new InputError(
      'memory',
      `The covariances of rows take ${formatBytes(largest)}, and this graphics card shows a program ${formatBytes(device.maxBindingBytes)} at a time.`,
    )
  const create = (byteLength: number): GPUBuffer => own(device.createStorage(byteLength))
  const createFrom = (words: Uint32Array): GPUBuffer =>
    own(device.createFilled(words.byteLength, (target) => target.set(words)))
  return {
    priors: modes.map(() => create(4 * priorNumbers(shape))),
    covariances: create(slots * matrix),
    groupMatrices: create(isGrouped ? shape.order * (GROUPS + 1) * matrix : 16),
    leverages: create(4 * total),
    variances: create(4 * total),
    groups: isGrouped ? createFrom(groupOf) : create(16),
    rowSums: create(16 * total),
    slots: groups.map((mode) => createFrom(mode.slots)),
    determined: create(4 * GROUPS),
    blockProducts: create(MOST_PRODUCT_BLOCKS * matrix),
    products: create(2 * shape.order * matrix),
    rowTotals: create(8 * blocksBefore(tables, modes.length)),
    noiseBins: create(16 * NOISE_BINS * MOST_NOISE_GROUPS),
    sums: create(sums),
  }
}
