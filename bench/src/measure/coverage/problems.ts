/** The problems of `bench coverage`: real data and synthetic sets, of which each seed is a draw. */
import type { SparseTensor } from 'lacuna'
import { hideLater, readKinetic, readMetro, readPickups } from '../best/maskedSets.ts'
import { hideEntries, hideGroups, type MaskedProblem } from '../best/masks.ts'
import { drawRetail } from '../best/retail.ts'
import { drawSeries, type SeriesNoise } from './series.ts'

/** A problem, and what can be hidden of it. */
export interface CoverageProblem {
  name: string
  /** Reads or draws all entries. @param folder of real data, with a subfolder for each set */
  read(folder: string, seed: number): Promise<SparseTensor>
  /** Fraction of the entries that cells and rows are measured with. */
  fraction: number
  /** Hides blocks of all entries, as where sensors fail: gaps are then recognized, and folds are of blocks, too. */
  hideBlocks(entries: SparseTensor, folder: string, seed: number): MaskedProblem
  /** The modes whose indices the cells of a block share, counted from 0; undefined where blocks are no such groups. */
  blocks?: readonly number[]
  /** The modes whose rows are hidden, counted from 0: those with enough rows. */
  modes: readonly number[]
  /**
   * If there is one: the slowest mode of time, counted from 0, its modes as an option, the steps to forecast, and the
   * rows from the end of one forecast to that of the next; 0 if each is of another draw.
   */
  time?: { mode: number; option: string; horizon: number; stride: number }
}

/** Fraction of the blocks that are hidden. */
const BLOCKS = 0.3

/** Hides groups of cells that share the indices of some modes. */
const groupsOf = (...modes: number[]): Pick<CoverageProblem, 'blocks' | 'hideBlocks'> => ({
  blocks: modes,
  hideBlocks: (entries, _, seed) => hideGroups(entries, modes, BLOCKS, seed),
})

/** Synthetic series with some noise. */
const series = (noise: SeriesNoise): CoverageProblem => ({
  name: `series-${noise}`,
  read: async (_, seed) => drawSeries(noise, seed),
  ...{ fraction: 0.5, ...groupsOf(0, 2), modes: [0, 2] },
  time: { mode: 2, option: '3+2', horizon: 7, stride: 0 },
})

/** All problems. */
export const coverageProblems: readonly CoverageProblem[] = [
  {
    ...{ name: 'hangzhou', read: readMetro, fraction: 0.1, ...groupsOf(0, 2), modes: [0, 1, 2] },
    time: { mode: 2, option: '3+2', horizon: 3, stride: 1 },
  },
  {
    ...{ name: 'uber', read: (folder) => readPickups(folder), fraction: 0.1, ...groupsOf(0, 2) },
    ...{ modes: [0, 1, 2], time: { mode: 2, option: '3+2', horizon: 7, stride: 7 } },
  },
  { name: 'kinetic', read: readKinetic, fraction: 0.05, ...groupsOf(0, 1, 2), modes: [0, 3] },
  {
    ...{ name: 'movielens', fraction: 0.5, modes: [0, 1] },
    read: async (folder) => joinEntries(hideLater(folder, 1)),
    hideBlocks: (_, folder, seed) => hideLater(folder, seed),
  },
  {
    ...{ name: 'retail', fraction: 0.15, ...groupsOf(0, 2), modes: [0, 1, 2] },
    read: async (_, seed) => drawRetail(seed),
    time: { mode: 2, option: '3', horizon: 7, stride: 0 },
  },
  series('even'),
  series('proportional'),
  series('counts'),
]

/** The entries that cells and rows of a problem are measured with. */
export async function drawEntries(
  { read, fraction }: CoverageProblem,
  folder: string,
  seed: number,
): Promise<SparseTensor> {
  return hideEntries(await read(folder, seed), fraction, seed).test
}

/**
 * Thins a problem out at random, and hides whole blocks beside: entries that are learned from, hidden entries of
 * these blocks, and hidden entries outside of them; undefined where blocks are no groups of cells.
 * @param fraction of the blocks
 */
export async function thinAndHide(
  { read, fraction, blocks }: CoverageProblem,
  [folder, seed]: [string, number],
  ofBlocks: number,
): Promise<{ train: SparseTensor; inBlocks: SparseTensor; single: SparseTensor } | undefined> {
  if (!blocks) return undefined
  const masked = hideGroups(await read(folder, seed), blocks, ofBlocks, seed)
  const thinned = hideEntries(masked.train, fraction, seed)
  return {
    train: thinned.test,
    inBlocks: hideEntries(masked.test, fraction, seed + 1000).test,
    single: hideEntries(thinned.train, fraction / 2, seed + 2000).test,
  }
}

/** All entries of a masked problem as one tensor. */
function joinEntries({ train, test }: MaskedProblem): SparseTensor {
  return {
    dims: train.dims,
    indices: train.indices.map((column, mode) => Uint32Array.from([...column, ...test.indices[mode]])),
    values: Float32Array.from([...train.values, ...test.values]),
  }
}
