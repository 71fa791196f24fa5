/**
 * The rank by cross-fitting: entries are predicted by models that have not seen them, at one rank after another, until more
 * components no longer help. Of the ranks that are as good as the best, the smallest.
 */
import type { SparseTensor } from '../tensor/index.ts'
import { type CrossFit, type CrossFitOptions, crossFit } from './crossFit.ts'
import type { RunOptions } from './options.ts'

/** A rank that was tried, and its error on entries that the models had not seen. */
export interface RankTrial {
  rank: number
  rmse: number
  /** The standard error of rmse, by how much the folds differ. */
  spread: number
}

export interface RankChoice {
  rank: number
  /** By rank. */
  trials: RankTrial[]
  /** The models of the chosen rank. */
  fit: CrossFit
}

const LADDER = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
/** As good as the best is what has an RMSE above it by less than a standard error, and by no more than this share. */
const AS_GOOD = 0.005
/** Two ranks in a row that gain less than this share together are the last. */
const LEAST_GAIN = 0.005

/** Undefined if it was interrupted. */
export async function chooseRank(
  tensor: SparseTensor,
  options: RunOptions,
  { onRank, ...folding }: CrossFitOptions & { onRank?: (trial: RankTrial) => void } = {},
): Promise<RankChoice | undefined> {
  const fits = new Map<number, CrossFit>()
  const trials: RankTrial[] = []
  const attempt = async (rank: number): Promise<RankTrial | undefined> => {
    const fit = await crossFit(tensor, { ...options, rank }, folding)
    if (!fit) return undefined
    const trial = { rank, ...errorOf(fit) }
    fits.set(rank, fit)
    trials.push(trial)
    onRank?.(trial)
    return trial
  }
  for (const rank of LADDER) {
    if (!(await attempt(rank))) return undefined
    if (isOver(trials)) break
  }
  const best = trials.reduce((best, trial) => (trial.rmse < best.rmse ? trial : best))
  const isAsGood = ({ rmse }: RankTrial): boolean =>
    rmse <= best.rmse + Math.min(best.spread, AS_GOOD * best.rmse)
  const at = trials.findIndex(isAsGood)
  let [low, high] = [trials[at - 1]?.rank ?? 0, trials[at].rank]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const trial = await attempt(middle)
    if (!trial) return undefined
    if (isAsGood(trial)) high = middle
    else low = middle
  }
  trials.sort((a, b) => a.rank - b.rank)
  return { rank: high, trials, fit: fits.get(high)! }
}

function errorOf({ foldErrors }: CrossFit): { rmse: number; spread: number } {
  const squares = foldErrors.reduce((sum, fold) => sum + fold.squares, 0)
  const entries = foldErrors.reduce((sum, fold) => sum + fold.entries, 0)
  const rmse = Math.sqrt(squares / entries)
  const own = foldErrors.map((fold) => Math.sqrt(fold.squares / fold.entries))
  const variance = own.reduce((sum, x) => sum + (x - rmse) ** 2, 0) / (own.length - 1)
  return { rmse, spread: Math.sqrt(variance / own.length) }
}

function isOver(trials: readonly RankTrial[]): boolean {
  if (trials.length < 3) return false
  const before = Math.min(...trials.slice(0, -2).map(({ rmse }) => rmse))
  const last = Math.min(...trials.slice(-2).map(({ rmse }) => rmse))
  return last > (1 - LEAST_GAIN) * before
}
