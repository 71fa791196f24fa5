/**
 * The seasonal baselines as models: the mean of the season, and the value one season before, are CP models whose rank
 * is the length of the season. The rows of time are unit vectors, one per phase; the rows of all other modes, merged,
 * hold the value of each phase.
 */
import { CpModel } from '../../model/index.ts'
import { observe, reshapedModes, rowAt, type SparseTensor } from '../../tensor/index.ts'

/** Most numbers in a factor of such a model. */
const MOST_NUMBERS = 2e7
/** The largest season: that of the largest rank. */
const LONGEST_SEASON = 256

/** A rule by which a season is repeated. */
export type SeasonalRule = 'naive' | 'mean'

/** Whether a baseline can be a model: its factors must not be negative, nor very large. */
export const maySeasonBeModel = ({ dims, values }: SparseTensor, mode: number, season: number): boolean =>
  season <= LONGEST_SEASON &&
  (season * dims.reduce((product, dim) => product * dim, 1)) / dims[mode] <= MOST_NUMBERS &&
  !values.some((value) => value < 0)

/**
 * Makes the model that repeats the latest value of each phase of the season, or its mean. A cell without values of
 * its phase gets the mean of its other values, or of all.
 * @param tensor with rows in the future
 * @param mode the mode of time, from 0
 */
export function seasonalModel(
  tensor: SparseTensor,
  mode: number,
  season: number,
  rule: SeasonalRule,
): CpModel {
  const { dims, indices, values, labels, modes } = tensor
  const others = dims.flatMap((_, m) => (m === mode ? [] : [m]))
  const reshaping = { mergeModes: others.length > 1 ? [others] : [], split: [] }
  const timeFactor = mode === 0 ? 0 : 1
  const { digits, dims: learned } = reshapedModes(reshaping, dims)
  const rows = learned[1 - timeFactor]
  const phases = new Float64Array(rows * season)
  const counts = new Uint32Array(rows * season)
  const latest = new Int32Array(rows * season).fill(-1)
  const [totals, known] = [new Float64Array(rows), new Uint32Array(rows)]
  const cell = new Array<number>(dims.length)
  for (let e = 0; e < values.length; e++) {
    for (let m = 0; m < cell.length; m++) cell[m] = indices[m][e]
    const row = rowAt(digits[1 - timeFactor], cell)
    const at = row * season + (cell[mode] % season)
    totals[row] += values[e]
    known[row]++
    if (rule === 'mean') phases[at] += values[e]
    else if (cell[mode] > latest[at]) {
      latest[at] = cell[mode]
      phases[at] = values[e]
    }
    counts[at]++
  }
  const observed = observe(tensor)
  const repeated = Float32Array.from(phases, (sum, at) => {
    const row = Math.floor(at / season)
    if (counts[at] > 0) return rule === 'mean' ? sum / counts[at] : sum
    return known[row] > 0 ? totals[row] / known[row] : observed.mean
  })
  const units = new Float32Array(dims[mode] * season)
  for (let t = 0; t < dims[mode]; t++) units[t * season + (t % season)] = 1
  return new CpModel({
    ...{ dims, rank: season, labels, modes, observed, reshaping },
    factors: timeFactor === 0 ? [units, repeated] : [repeated, units],
    training: { rule: rule === 'mean' ? 'mean of the season' : 'value one season before', season },
  })
}
