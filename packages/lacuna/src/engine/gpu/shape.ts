/**
 * The sizes that kernels are generated for, and the division of a window's entries among the invocations of a
 * workgroup. A **quad** is four consecutive components of a row, one vec4f: rows are padded to whole quads.
 */

/** The sizes that are constants of a kernel. */
export interface Shape {
  /** N, the number of modes. */
  order: number
  /** R, the number of components, without padding. */
  rank: number
  /** Whether a record ends with its entry's weight. */
  weighted: boolean
  /** Neighbouring invocations that are certain to share a subgroup; 1 where there are no subgroups. */
  subgroup: number
}

/** Quads per row: the rank is padded to a multiple of 4. */
export const quadsOf = ({ rank }: Pick<Shape, 'rank'>): number => Math.ceil(rank / 4)

/**
 * 32-bit words of a record: the indices in the other modes, the value, and the weight where there are
 * weights.
 */
export const wordsOf = ({ order, weighted }: Shape): number => order + (weighted ? 1 : 0)

/** The number of 4 × 4 tiles of H (R × R) on and above the diagonal. */
export const tilesOf = (shape: Shape): number => (quadsOf(shape) * (quadsOf(shape) + 1)) / 2

/** The division of the entries of a window among the invocations of a workgroup. */
export interface Team {
  /** Invocations of a workgroup. */
  size: number
  /**
   * Neighbouring invocations that share an entry, each with some quads of k, so that they read a factor's row
   * as one piece of memory.
   */
  lanes: number
  /** Quads of a row per invocation, at most; those beyond the end of the row are 0. */
  perLane: number
  /** Entries that a workgroup processes at a time. */
  entries: number
  /** Invocations whose sums are added by subgroup shuffles instead of shared memory; 1: no subgroups. */
  subgroup: number
}

/**
 * Entries that each group of lanes should process: a team grows only so far, since with fewer most of the
 * time goes into the final reduction.
 */
const WANTED_ROUNDS = 4
/** Invocations of the largest team that `teamFor` chooses by itself. */
const LARGEST_TEAM = 128
/** Invocations of the smallest team. */
const SMALLEST_TEAM = 32
/** Most quads of a row per invocation, where lanes can be added; more would not stay in registers. */
const MOST_PER_LANE = 4

/** Most quads of shared memory for the sums of a team: three quarters of the 16 KiB that every device has. */
const MOST_SCRATCH = 768

/**
 * Chooses the team for a kernel that passes over the entries of windows: more invocations for longer windows,
 * as far as shared memory allows.
 * @param expectedEntries entries of a typical window
 * @param minSize the fewest invocations, a power of two
 */
export function teamFor(shape: Shape, expectedEntries: number, minSize = SMALLEST_TEAM): Team {
  const quads = quadsOf(shape)
  let lanes = Math.min(8, powerOfTwo(quads))
  while (quads / lanes > MOST_PER_LANE) lanes *= 2
  // In small subgroups, more of a row per invocation is faster than going through shared memory.
  if (shape.subgroup > 1) lanes = Math.min(lanes, shape.subgroup)
  const wanted = powerOfTwo((expectedEntries * lanes) / WANTED_ROUNDS / 2 + 1)
  const perLane = Math.ceil(quads / lanes)
  let size = Math.max(SMALLEST_TEAM, minSize, lanes, Math.min(LARGEST_TEAM, wanted))
  while (size * perLane > MOST_SCRATCH) size /= 2
  return {
    size,
    lanes,
    perLane,
    entries: size / lanes,
    subgroup: Math.min(size, shape.subgroup),
  }
}

/**
 * Tiles of H from which on a workgroup that sums H has LARGE_TEAM invocations. Measured on an H200: at R = 32
 * and 50, 256 invocations take 0.85 and 0.7 times as long as 128, at R = 10 twice.
 */
const MANY_TILES = 32
/** Invocations of a workgroup that sums many tiles of H. */
const LARGE_TEAM = 256

/**
 * Chooses the team for a kernel that sums H over the entries of windows, with an invocation per tile if possible.
 * @param expectedEntries entries of a typical window
 * @param minSize the fewest invocations where H has few tiles, a power of two
 */
export function tileTeamFor(shape: Shape, expectedEntries: number, minSize = 1): Team {
  // With many tiles, a block of k is used by more invocations than are needed to gather it.
  if (tilesOf(shape) >= MANY_TILES) return teamFor(shape, expectedEntries, LARGE_TEAM)
  const size = Math.min(LARGEST_TEAM, Math.max(minSize, powerOfTwo(tilesOf(shape))))
  return teamFor(shape, expectedEntries, size)
}

/** The least power of two that is at least n. */
export const powerOfTwo = (n: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, n)))
