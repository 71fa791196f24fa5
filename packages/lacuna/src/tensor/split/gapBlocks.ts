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
/** Single cells are missing in runs if their mean length is larger by this factor than by chance. */
const MUCH_LONGER = 2
/** The least number of runs from which their length is known. */
const LEAST_RUNS = 20
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
    // A grid of one axis has a single line, whose missing rows are all that there are.
    const isAtOnce = sizes.length > 1 && dispersion > MORE_VARIABLE
    return isAtOnce ? Math.round(ownCount) : 1
  })
  return limitLengths(sizes, lengths)
}

/**
 * Returns, per mode, the mean length of runs of missing cells along it, such as the hours in which a sensor was silent;
 * 1 where runs are hardly longer than those of cells that are missing independently, as often as their line along the
 * mode and their row have it.
 * @param grid all cells
 */
export function cellRunLengths(grid: Grid): number[] {
  const lengths = grid.sizes.map((_, axis) => {
    const { missing, pairs, pairsByChance } = countPairs(grid, axis)
    const runs = missing - pairs
    const byChance = missing / Math.max(1, missing - pairsByChance)
    return runs >= LEAST_RUNS && missing / runs > MUCH_LONGER * byChance ? Math.round(missing / runs) : 1
  })
  return limitLengths(grid.sizes, lengths)
}

/** Counts missing cells, and pairs of them that are neighbours along an axis, also as expected by chance. */
function countPairs(
  { sizes, hasEntry }: Grid,
  axis: number,
): { missing: number; pairs: number; pairsByChance: number } {
  const size = sizes[axis]
  const stride = sizes.slice(axis + 1).reduce((product, other) => product * other, 1)
  const lines = hasEntry.length / size
  const ofRow = new Float64Array(size)
  let [missing, pairs, squaresOfLines] = [0, 0, 0]
  for (let line = 0; line < lines; line++) {
    const first = Math.floor(line / stride) * stride * size + (line % stride)
    let [inLine, before] = [0, 0]
    for (let i = 0; i < size; i++) {
      const isMissing = 1 - hasEntry[first + i * stride]
      inLine += isMissing
      pairs += isMissing * before
      ofRow[i] += isMissing
      before = isMissing
    }
    missing += inLine
    squaresOfLines += inLine * inLine
  }
  let ofRows = 0
  for (let i = 1; i < size; i++) ofRows += ofRow[i - 1] * ofRow[i]
  return { missing, pairs, pairsByChance: (squaresOfLines * ofRows) / Math.max(1, missing) ** 2 }
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
