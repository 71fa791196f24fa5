/**
 * The sizes that kernels are generated for, and the division of a row's entries among the invocations of a
 * workgroup.
 */

/** Sizes that are constants of a kernel. */
export interface Shape {
  /** N */
  order: number
  /** R */
  rank: number
  /** Whether a record ends with its entry's weight. */
  weighted: boolean
  /** Neighbouring invocations that are certain to share a subgroup; 1 where there are no subgroups. */
  subgroup: number
}

/** Vectors of four per row: the rank is padded to a multiple of 4, as on the CPU. */
export const quadsOf = ({ rank }: Pick<Shape, 'rank'>): number => Math.ceil(rank / 4)

/** Words of a record: the indices in the other modes, the value, and the weight where there are weights. */
export const wordsOf = ({ order, weighted }: Shape): number => order + (weighted ? 1 : 0)

/** 4 × 4 tiles of H on and above the diagonal. */
export const tilesOf = (shape: Shape): number => (quadsOf(shape) * (quadsOf(shape) + 1)) / 2

/** How the invocations of a workgroup divide the entries of a window. */
export interface Team {
  /** Invocations of a workgroup. */
  size: number
  /**
   * Neighbouring invocations that share an entry, so that they read a factor's row as one piece of memory.
   */
  lanes: number
  /** Vectors of four of a row per invocation. */
  perLane: number
  /** Entries that a workgroup processes at a time. */
  entries: number
  /** Invocations whose sums are added without shared memory: 1 if there are no subgroups. */
  subgroup: number
}

/**
 * Entries per group of lanes that are worth a larger team; with fewer, most of the time goes into the final
 * reduction.
 */
const ROUNDS_WANTED = 4
/** Invocations of the largest team. */
export const LARGEST_TEAM = 128
const SMALLEST_TEAM = 32
/** Vectors of a row per invocation; more would not stay in registers. */
const MOST_PER_LANE = 4

/** Vectors in shared memory for the sums of a team: three quarters of what every device has. */
const MOST_SCRATCH = 768

/**
 * The team for a kernel that passes over the entries of windows.
 * @param expected entries of a typical window
 * @param least the fewest invocations
 */
export function teamFor(shape: Shape, expected: number, least = SMALLEST_TEAM): Team {
  const quads = quadsOf(shape)
  let lanes = Math.min(8, powerOfTwo(quads))
  while (quads / lanes > MOST_PER_LANE) lanes *= 2
  // Where a subgroup is smaller, more of a row per invocation is better than going through shared memory.
  if (shape.subgroup > 1) lanes = Math.min(lanes, shape.subgroup)
  const wanted = powerOfTwo((expected * lanes) / ROUNDS_WANTED / 2 + 1)
  const perLane = Math.ceil(quads / lanes)
  let size = Math.max(SMALLEST_TEAM, least, lanes, Math.min(LARGEST_TEAM, wanted))
  while (size * perLane > MOST_SCRATCH) size /= 2
  return {
    size,
    lanes,
    perLane,
    entries: size / lanes,
    subgroup: Math.min(size, shape.subgroup),
  }
}

/** The least power of two that is at least n. */
export const powerOfTwo = (n: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, n)))
