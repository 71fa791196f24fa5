/** The sizes of the areas that a partition's memory is divided into, and the allocator of their addresses. */
import { BLOCK_ROWS, GROUPS, LOADED_AT_A_TIME, MOST_GRAM_BLOCKS } from '../../../kernels/solve/layout.ts'
import type { Covariances } from '../../engine.ts'

/**
 * The blocks of rows over which the products of a factor's columns are summed: rows per block, and number of
 * blocks, at most MOST_GRAM_BLOCKS.
 */
export function gramBlocks(rows: number): { perBlock: number; count: number } {
  const perBlock = BLOCK_ROWS * Math.ceil(rows / BLOCK_ROWS / MOST_GRAM_BLOCKS)
  return { perBlock, count: Math.ceil(rows / perBlock) }
}

/** The most numbers in the matrices of a group's sampled rows, 1 MiB. */
const MOST_SAMPLED_NUMBERS = 2 ** 18
/** The fewest and the most rows of a group whose V is computed. */
const SAMPLED_ROWS = { least: 8, most: 64 }

/** The most rows of a group whose V is computed, for its mean (kernels/solve/rows/groups.ts). */
export const mostSampledRows = (padded: number): number =>
  Math.min(SAMPLED_ROWS.most, Math.max(SAMPLED_ROWS.least, Math.floor(MOST_SAMPLED_NUMBERS / padded ** 2)))

/** The most matrices (R × R) of a mode of `rows` rows: one per row, or per sampled row of its groups. */
export const matricesOf = (covariances: Covariances, rows: number, padded: number): number =>
  covariances === 'rows' ? rows : Math.min(rows, GROUPS * mostSampledRows(padded))

/**
 * The most entries of a segment that the kernels sort, where rows of up to `segment` entries are one segment.
 * Segments vary in length by chance, but not as much as this; longer ones are sorted in TypeScript.
 */
export const longestSegment = (segment: number): number => Math.ceil(1.25 * segment + 64)

// The kernels have the next three sizes, too; checkKernelLayout compares them.

/**
 * Bytes of the partial sums over a segment: H (R × R), g (R), two float64, and the weights by group of some of
 * the other modes.
 */
export const partialBytes = (padded: number, groupedModes: number): number =>
  4 * padded * (padded + 1) + 16 + 4 * GROUPS * groupedModes
/** Entries that a step gathers at a time: BLOCK of the kernels. */
const blockEntries = (padded: number): number => (padded <= 64 ? 64 : padded <= 128 ? 32 : 16)
/** Bytes of a thread's scratch for steps (kernels/solve/scratch.ts). */
export const scratchBytes = (padded: number, order: number): number =>
  64 + 4 * blockEntries(padded) * (padded + 2 * order + 2) + partialBytes(padded, order - 1) + 12 * padded
/** Bytes of a thread's scratch for sorting a segment of `entries` records of `words` words. */
export const sortScratchBytes = (entries: number, words: number): number =>
  entries * (12 + 4 * words) + 8 + 4 * words

/**
 * Bytes of a block of entries in a thread's scratch: columns, values, hashes and weights, and two words of a
 * digest.
 */
export const blockBytes = (order: number, weighted: boolean): number =>
  (order + (weighted ? 3 : 2)) * 4 * LOADED_AT_A_TIME + 64 + 4 * order

/**
 * Returns an allocator of addresses from 0 on: areas follow one another, each on cache lines of its own.
 */
export function areaAllocator(): {
  /** Allocates bytes for a purpose; returns their address. */
  take(item: string, bytes: number): number
  /** Bytes so far by purpose. */
  items: ReadonlyMap<string, number>
  /** Bytes so far in total. */
  end(): number
} {
  const items = new Map<string, number>()
  let end = 0
  return {
    take(item, bytes) {
      const address = end
      end += Math.ceil(bytes / 64) * 64
      items.set(item, (items.get(item) ?? 0) + (end - address))
      return address
    },
    items,
    end: () => end,
  }
}
