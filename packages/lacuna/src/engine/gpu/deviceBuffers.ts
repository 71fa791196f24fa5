/** The buffers of a problem on a device. Rows of R numbers are padded to a multiple of four, R' below. */

import type { Shape } from './shape.ts'
import type { Slice } from './steps/batches.ts'

/**
 * Buffers that steps, balancing and errors share. P is the number of rows of all modes, S that of all
 * segments.
 */
export interface DeviceBuffers {
  /** (P × R') The factors of all modes, one after the other. */
  factors: GPUBuffer
  /** (P × R') The momentum factors; a stub where the problem has none. */
  momentumFactors: GPUBuffer
  /** (P × R') The factors of the last snapshot. */
  snapshot: GPUBuffer
  /** (P × 4) Tables.rows */
  rows: GPUBuffer
  /** (S × 4) ViewTable.segments of all modes. */
  segments: GPUBuffer
  /** (N × 2 × R') Per mode v of the gradient step, then the mean row. */
  vectors: GPUBuffer
  /** (N × R') The factors by which balancing multiplies the columns. */
  by: GPUBuffer
  /** (blocks × 2) The first row and the end of each block of rows. */
  blocks: GPUBuffer
  /** (blocks × R') Column sums over each block of rows. */
  blockSums: GPUBuffer
  /** (N × R') Column sums over each mode. */
  totals: GPUBuffer
  /** (N × 4) Per mode its first block, its blocks, its rows with entries. */
  modes: GPUBuffer
  /** (S × 2) The start and length of each segment's window in the current step. */
  windows: GPUBuffer
  /** (P) The number of sampled entries of each row in the current step. */
  sampled: GPUBuffer
  /** Per mode the rows of several segments; undefined where there are none. */
  longRows: (GPUBuffer | undefined)[]
}

/** The records of a view in buffers, as many in each as a kernel may bind. */
export interface DeviceView {
  shape: Shape
  slices: (Slice & { buffer: GPUBuffer })[]
}
