/**
 * The size of gaps: along an ordered mode they may be runs (a sensor that fails for days), and several rows of
 * a mode may be missing at once (stations of one line). Blocks of that size are held out in cross-fitting, so
 * that entries are predicted from as far away as missing cells are.
 */

/** Runs are longer than by chance if their mean length, weighted by length, is larger by this factor. */
const LONGER = 1.5
/**
 * Rows are missing at once if the number of missing rows varies this much more than by chance (ratio of
 * variances).
 */
const MORE_VARIABLE = 2.5
/** The least number of blocks of all modes together. */
const LEAST_BLOCKS = 20

/** A grid of groups of cells. */
interface Grid {
  /** Sizes of the grid, one per mode of the groups. */
  sizes: readonly number[]
  /** 1 for groups with entries, else 0; row-major. */
  hasEntry: Uint8Array
}

/** The lines of a grid along one axis. */
interface Lines {
  /** Mean length of runs of empty groups. */
  meanRun: number
  /** Mean length of the run that an empty group lies in. */
  ownRun: number
  /** Variance of the number of empty groups of a line, relative to that of independent groups. */
  dispersion: number
  /** Mean number of empty groups of the line that an empty group lies in. */
  ownCount: number
}

/**
 * Returns, per mode of the groups, the number of consecutive rows of a block: the mean length of gaps along
 * the mode if they are longer than by chance, else the number of rows that are missing at once; 1 where
 * neither is the case.
 */
export function gapLengths(grid: Grid): number[] {
  const { sizes, hasEntry } = grid
  let empty = 0
  for (const known of hasEntry) empty += 1 - known
  const fraction = empty / hasEntry.length
  const lines = sizes.map((_, axis) => measureLines(grid, axis, fraction))
  const byChance = (1 + fraction) / Math.max(1e-9, 1 - fraction)
  const runs = lines.map(({ meanRun, ownRun }) => (ownRun > LONGER * byChance ? Math.round(meanRun) : 1))
  const lengths = lines.map(({ dispersion, ownCount }, axis) => {
    if (runs[axis] > 1) return runs[axis]
    // In a grid of one axis, the rows that are missing are those of the only line.
    const isAtOnce = sizes.length > 1 && dispersion > MORE_VARIABLE
    return isAtOnce ? Math.round(ownCount) : 1
  })
  return limitLengths(sizes, lengths)
}

/** Measures runs and counts of empty groups along an axis. @param fraction of empty groups */
function measureLines({ sizes, hasEntry }: Grid, axis: number, fraction: number): Lines {
  const size = sizes[axis]
  const stride = sizes.slice(axis + 1).reduce((product, other) => product * other, 1)
  const count = hasEntry.length / size
  const expected = fraction * size
  let [runs, inRuns, squaresOfRuns, squaresOfCounts, deviations] = [0, 0, 0, 0, 0]
  for (let line = 0; line < count; line++) {
    const first = Math.floor(line / stride) * stride * size + (line % stride)
    let run = 0
    let inLine = 0
    for (let i = 0; i <= size; i++) {
      if (i < size && !hasEntry[first + i * stride]) {
        run++
        continue
      }
      if (run > 0) runs++
      inLine += run
      squaresOfRuns += run * run
      run = 0
    }
    inRuns += inLine
    squaresOfCounts += inLine * inLine
    deviations += (inLine - expected) ** 2
  }
  return {
    meanRun: inRuns / Math.max(1, runs),
    ownRun: squaresOfRuns / Math.max(1, inRuns),
    dispersion: deviations / count / Math.max(1e-9, expected * (1 - fraction)),
    ownCount: squaresOfCounts / Math.max(1, inRuns),
  }
}

/** Shortens blocks, the longest first, until each mode has two and all together LEAST_BLOCKS. */
function limitLengths(sizes: readonly number[], lengths: readonly number[]): number[] {
  const limited = lengths.map((length, axis) => Math.max(1, Math.min(length, Math.floor(sizes[axis] / 2))))
  const blocks = (): number =>
    limited.reduce((product, length, axis) => product * Math.ceil(sizes[axis] / length), 1)
  while (blocks() < LEAST_BLOCKS && limited.some((length) => length > 1)) {
    const longest = limited.indexOf(Math.max(...limited))
    limited[longest]--
  }
  return limited
}
