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
  /** (P × 4) Per row its first segment, segments, entries and mode: Tables.rows. */
  rows: GPUBuffer
  /** (S × 4) Per segment its first record, entries, row, and row within its mode: ViewTable.segments. */
  segments: GPUBuffer
  /** (N × 2 × R') Per mode v of the gradient step's bound (wgsl/sums.ts), then the mean row. */
  vectors: GPUBuffer
  /** (N × R') Per mode and column the scale by which balancing multiplies it. */
  columnScales: GPUBuffer
  /** (blocks × 2) The first row and the end of each block of rows. */
  blocks: GPUBuffer
  /** (blocks × R') Column sums over each block of rows. */
  blockSums: GPUBuffer
  /** (N × R') Column sums over each mode. */
  totals: GPUBuffer
  /** (N × 4) Per mode its first block, its number of blocks, its number of rows with entries, and 0. */
  modes: GPUBuffer
  /** (S × 2) Per segment the start of its window, from its first record on, and the window's entries. */
  windows: GPUBuffer
  /** (P) The number of sampled entries of each row in the current step. */
  sampled: GPUBuffer
  /** Per mode the rows that have several segments, counted over all modes; undefined where there are none. */
  longRows: (GPUBuffer | undefined)[]
}

/** The records of a view on the device, in slices that a kernel can bind. */
export interface DeviceView {
  shape: Shape
  slices: (Slice & { buffer: GPUBuffer })[]
}
