/**
 * Rows of a factor after its last one, by the learned prior of rows in time alone (docs/accuracy.md): by the
 * recursion of an autoregressive prior, or for coupled rows by their expectation given the rows before them.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'
import { type Digit, modesAsLearned, type Observed, reshapedModes } from '../../tensor/index.ts'
import type { Factored, LearnedLags, Prior } from '../factored.ts'
import { modeName, type Predictor } from '../factored.ts'

/** Rounds in which coupled rows are updated from one another, and the relative change that ends them. */
const ROUNDS = 2000
const TOLERANCE = 1e-7

/** The fields of a model that its future rows follow from. */
export type Forecastable = Factored &
  Pick<Predictor, 'modes' | 'observed' | 'unobserved'> & {
    readonly reshaping?: Parameters<typeof reshapedModes>[0]
    readonly prior?: Prior
  }

/** The fields of a model that change with future rows. */
export interface FutureFactors {
  dims: number[]
  factors: Float32Array[]
  unobserved: Uint32Array[]
  observed?: Observed
}

/**
 * The mode that future rows are added to: the slowest of the axis of time that the model has lags on. Throws if
 * there is none, or there are several.
 * @param asked the mode or axis by its number, if several are possible
 */
export function timeModeOf({ prior, modes }: Pick<Forecastable, 'prior' | 'modes'>, asked?: number): number {
  const lags = prior?.lags ?? []
  const found = [...new Set(lags.filter(({ isCyclic }) => !isCyclic).map(({ axis }) => axis[0]))]
  if (asked !== undefined && found.includes(asked)) return asked
  if (asked !== undefined)
    throw new InputError(
      'option',
      sentence`The model was learned without ${option('lags')} of ${modeName({ modes }, asked)}, so that nothing follows its last row; learn it with them, as in ${option('lags', `${modeName({ modes }, asked)}=1,7`)}, or forecast from the data.`,
    )
  if (found.length === 0)
    throw new InputError(
      'option',
      sentence`The model was learned without ${option('lags')} of a mode of time, so that nothing follows its last row; learn it with them, or forecast from the data.`,
    )
  if (found.length > 1)
    throw new InputError(
      'option',
      sentence`The model has ${option('lags')} of ${found.map((mode) => modeName({ modes }, mode)).join(' and ')}; name one of them by ${option('time')}.`,
    )
  return found[0]
}

/**
 * Adds rows after the last one of a mode of time to the factors.
 * @param mode from 0, as `timeModeOf` returns it
 */
export function forecastFactors(model: Forecastable, mode: number, horizon: number): FutureFactors {
  const { rank, prior, reshaping = { mergeModes: [], split: [] }, observed } = model
  const dims = model.dims.with(mode, model.dims[mode] + horizon)
  const [before, after] = [modesAsLearned(model), reshapedModes(reshaping, dims)]
  const unobserved: Uint32Array[] = []
  const factors = after.digits.map((digits, k) => {
    const [count, extended] = [before.dims[k], after.dims[k]]
    if (count === extended) {
      unobserved.push(model.unobserved[k])
      return model.factors[k]
    }
    const lags = prior?.lags?.find(({ factor, isCyclic }) => factor === k && !isCyclic)
    if (!lags || digits.some((digit) => !lags.axis.includes(digit.mode)))
      throw new InputError(
        'option',
        sentence`${modeName(model, mode)} was learned merged with modes that are no time, or without ${option('lags')}, so that nothing follows its last row; forecast from the data.`,
      )
    const [from, to] = [timeOrder(before.digits[k], lags, model.dims), timeOrder(digits, lags, dims)]
    const rows = new Float64Array(extended * rank)
    for (let t = 0; t < count; t++)
      rows.set(model.factors[k].subarray(from[t] * rank, (from[t] + 1) * rank), t * rank)
    const mean = prior!.means[k]
    if (lags.isAutoregressive) regressFutureRows(rows, count, lags, mean)
    else coupleFutureRows(rows, count, lags, mean)
    const factor = new Float32Array(extended * rank)
    for (let t = 0; t < extended; t++) factor.set(rows.subarray(t * rank, (t + 1) * rank), to[t] * rank)
    const positions = new Map(Array.from(from, (row, t) => [row, t]))
    const old = Array.from(model.unobserved[k], (row) => to[positions.get(row)!])
    unobserved.push(Uint32Array.from([...old, ...to.subarray(count)]).sort())
    return factor
  })
  return { dims, factors, unobserved, ...(observed && { observed: extendObserved(observed, mode, horizon) }) }
}

/** The rows of a factor by their position in time. @param digits those of the factor, all of modes of the axis */
function timeOrder(
  digits: readonly Digit[],
  { axis, unit }: LearnedLags,
  dims: readonly number[],
): Uint32Array {
  const order = new Uint32Array(digits.reduce((rows, { size }) => rows * size, 1))
  const steps = digits.map(({ mode, stride }) => {
    const faster = axis.slice(axis.indexOf(mode) + 1)
    return (stride * faster.reduce((product, other) => product * dims[other], 1)) / unit
  })
  for (let row = 0; row < order.length; row++) {
    let position = 0
    digits.forEach(({ weight, size }, at) => {
      position += (Math.floor(row / weight) % size) * steps[at]
    })
    order[position] = row
  }
  return order
}

/** Writes rows from `first` on by a_t = μ + Σ_k θ_k (a_{t−l_k} − μ), at least 0, in the order of time. */
function regressFutureRows(
  rows: Float64Array,
  first: number,
  { lags, weights }: LearnedLags,
  mean: Float32Array,
): void {
  const rank = mean.length
  for (let t = first; t < rows.length / rank; t++)
    for (let r = 0; r < rank; r++) {
      let sum = mean[r]
      lags.forEach((lag, k) => {
        if (lag <= t) sum += weights[k] * (rows[(t - lag) * rank + r] - mean[r])
      })
      rows[t * rank + r] = Math.max(0, sum)
    }
}

/**
 * Writes rows from `first` on with their joint expectation given those before: each is (μ + Σ w a)/(1 + Σ w)
 * over its neighbours at the lags, by Gauss–Seidel.
 */
function coupleFutureRows(
  rows: Float64Array,
  first: number,
  { lags, weights }: LearnedLags,
  mean: Float32Array,
): void {
  const rank = mean.length
  const count = rows.length / rank
  for (let t = first; t < count; t++) rows.set(mean, t * rank)
  for (let round = 0; round < ROUNDS; round++) {
    let [change, size] = [0, 0]
    for (let t = first; t < count; t++)
      for (let r = 0; r < rank; r++) {
        let [sum, weight] = [mean[r], 1]
        lags.forEach((lag, k) => {
          for (const other of [t - lag, t + lag])
            if (other >= 0 && other < count) {
              sum += weights[k] * rows[other * rank + r]
              weight += weights[k]
            }
        })
        const next = Math.max(0, sum / weight)
        change += Math.abs(next - rows[t * rank + r])
        size += next
        rows[t * rank + r] = next
      }
    if (change <= TOLERANCE * size) return
  }
}

/** Statistics of entries with rows that have none at the end of a mode. */
const extendObserved = (observed: Observed, mode: number, horizon: number): Observed => {
  const rows = observed.counts[mode].length + horizon
  const counts = new Uint32Array(rows)
  const means = new Float32Array(rows)
  counts.set(observed.counts[mode])
  means.set(observed.means[mode])
  return {
    ...observed,
    counts: observed.counts.with(mode, counts),
    means: observed.means.with(mode, means),
  }
}
