/**
 * Stacking (Wolpert 1992; Breiman 1996): the prediction is a nonnegative combination of candidates, whose
 * weights are found by nonnegative least squares of the entries on the candidates' out-of-fold predictions.
 * Candidates are added one by one, the one that lowers the error most first, so that few of them remain, and
 * ones that differ. The error of a combination is nested: each fold is predicted with weights that were
 * found on the other folds. Weights are moved towards the best single candidate as far as that error asks
 * for, so that the combination is never worse out of fold than the best candidate.
 */

/** The entries of a cross-fit, as far as weights depend on them. */
export interface StackedEntries {
  /** The value of each entry. */
  values: Float32Array
  /** The fold of each entry. */
  folds: Uint8Array
  /** Number of folds. */
  count: number
  /** Weight of each entry in the squared error; equal weights by default. */
  weights?: Float32Array
}

/** A combination of candidates. */
export interface Stack {
  /** Per candidate, its weight; 0 where it is left out. */
  weights: number[]
  /** Per fold, the weights of the candidates that were found without it. */
  foldWeights: number[][]
  /** Per entry, the prediction with the weights of its fold. */
  predictions: Float32Array
  /** Mean squared error of these predictions, with the entries' weights. */
  meanSquare: number
}

/** Normal equations of the regression on all candidates: XᵀX (n × n) and Xᵀy (n), and yᵀy. */
interface NormalEquations {
  XX: Float64Array
  Xy: Float64Array
  yy: number
}

/** Most candidates of a combination. */
const MOST_CANDIDATES = 5
/** A candidate is added if it lowers the squared error by at least this fraction. */
const LEAST_GAIN = 0.004
/** Steps between the best candidate alone and the combination of least squares that are tried. */
const SHRINKAGE_STEPS = 4
/** Rounds of coordinate descent of nonnegative least squares, at the most. */
const ROUNDS = 1000

/**
 * Finds the weights of a combination of candidates.
 * @param candidates per candidate, the prediction of each entry by the model that was fitted without its fold
 */
export function stackCandidates(
  candidates: readonly Float32Array[],
  { values, folds, count, weights }: StackedEntries,
): Stack {
  const ofFolds = normalEquations(candidates, { values, folds, count, weights })
  const all = addEquations(ofFolds)
  const others = ofFolds.map((_, fold) => addEquations(ofFolds.filter((_, other) => other !== fold)))
  const size = candidates.length
  const alone = candidates.map((_, c) => squaresOf(all, unit(size, c)))
  const best = alone.indexOf(Math.min(...alone))
  /** The nested squared error of a subset, with weights moved towards the best candidate. */
  const nested = (subset: readonly number[], shrinkage: number): number =>
    ofFolds.reduce(
      (sum, fold, k) => sum + squaresOf(fold, shrunkWeights(others[k], subset, best, shrinkage)),
      0,
    )
  let chosen = { subset: [best], shrinkage: 0, squares: alone[best] }
  while (chosen.subset.length < Math.min(MOST_CANDIDATES, size)) {
    let next = chosen
    for (let c = 0; c < size; c++) {
      if (chosen.subset.some((d) => isSame(all, c, d))) continue
      for (let step = 1; step <= SHRINKAGE_STEPS; step++) {
        const subset = [...chosen.subset, c]
        const squares = nested(subset, step / SHRINKAGE_STEPS)
        if (squares < next.squares) next = { subset, shrinkage: step / SHRINKAGE_STEPS, squares }
      }
    }
    // Without an error, as of constant values, none is lowered.
    if (next === chosen || next.squares > (1 - LEAST_GAIN) * chosen.squares) break
    chosen = next
  }
  const { subset, shrinkage, squares } = chosen
  const foldWeights = others.map((equations) => shrunkWeights(equations, subset, best, shrinkage))
  const predictions = new Float32Array(values.length)
  let total = 0
  for (let e = 0; e < values.length; e++) {
    const own = foldWeights[folds[e]]
    let sum = 0
    for (const c of subset) sum += own[c] * candidates[c][e]
    predictions[e] = sum
    total += weights ? weights[e] : 1
  }
  const final = shrunkWeights(all, subset, best, shrinkage)
  return {
    weights: [...final],
    foldWeights: foldWeights.map((own) => [...own]),
    predictions,
    meanSquare: squares / Math.max(total, 1e-30),
  }
}

/** The normal equations of each fold. */
function normalEquations(
  candidates: readonly Float32Array[],
  { values, folds, count, weights }: StackedEntries,
): NormalEquations[] {
  const size = candidates.length
  const sums = Array.from({ length: count }, () => ({
    XX: new Float64Array(size * size),
    Xy: new Float64Array(size),
    yy: 0,
  }))
  const row = new Float64Array(size)
  for (let e = 0; e < values.length; e++) {
    const sum = sums[folds[e]]
    const weight = weights ? weights[e] : 1
    for (let c = 0; c < size; c++) row[c] = candidates[c][e]
    for (let c = 0; c < size; c++) {
      const weighted = weight * row[c]
      sum.Xy[c] += weighted * values[e]
      for (let d = 0; d <= c; d++) sum.XX[c * size + d] += weighted * row[d]
    }
    sum.yy += weight * values[e] * values[e]
  }
  for (const { XX } of sums)
    for (let c = 0; c < size; c++) for (let d = 0; d < c; d++) XX[d * size + c] = XX[c * size + d]
  return sums
}

/** The sum of normal equations of several folds. */
function addEquations(some: readonly NormalEquations[]): NormalEquations {
  const sum = { XX: some[0].XX.map(() => 0), Xy: some[0].Xy.map(() => 0), yy: 0 }
  for (const { XX, Xy, yy } of some) {
    for (let at = 0; at < XX.length; at++) sum.XX[at] += XX[at]
    for (let c = 0; c < Xy.length; c++) sum.Xy[c] += Xy[c]
    sum.yy += yy
  }
  return sum
}

/** Whether two candidates have the same predictions, as far as sums of their products show it. */
function isSame({ XX, Xy: { length: size } }: NormalEquations, c: number, d: number): boolean {
  const distance = XX[c * size + c] - 2 * XX[c * size + d] + XX[d * size + d]
  return distance <= 1e-9 * XX[c * size + c]
}

/** The weights of candidate c alone. */
const unit = (size: number, c: number): Float64Array => {
  const weights = new Float64Array(size)
  weights[c] = 1
  return weights
}

/** The sum of squared errors with the given weights, yᵀy − 2wᵀXᵀy + wᵀXᵀXw, which rounding may put below 0. */
function squaresOf({ XX, Xy, yy }: NormalEquations, weights: Float64Array): number {
  const size = weights.length
  let squares = yy
  for (let c = 0; c < size; c++) {
    if (weights[c] === 0) continue
    let sum = -2 * Xy[c]
    for (let d = 0; d < size; d++) sum += XX[c * size + d] * weights[d]
    squares += weights[c] * sum
  }
  return Math.max(0, squares)
}

/**
 * Weights (all candidates) of a subset by nonnegative least squares, moved towards the best candidate alone:
 * shrinkage 1 is least squares, 0 the candidate alone.
 */
function shrunkWeights(
  equations: NormalEquations,
  subset: readonly number[],
  best: number,
  shrinkage: number,
): Float64Array {
  const weights = unit(equations.Xy.length, best)
  if (shrinkage === 0) return weights
  const solved = nonnegativeLeastSquares(equations, subset)
  return weights.map((alone, c) => (1 - shrinkage) * alone + shrinkage * solved[c])
}

/** Nonnegative least squares over a subset of the candidates by coordinate descent; others have weight 0. */
function nonnegativeLeastSquares({ XX, Xy }: NormalEquations, subset: readonly number[]): Float64Array {
  const size = Xy.length
  const weights = new Float64Array(size)
  for (const c of subset) weights[c] = 1 / subset.length
  for (let round = 0; round < ROUNDS; round++) {
    let change = 0
    for (const c of subset) {
      const curvature = XX[c * size + c]
      if (!(curvature > 0)) {
        weights[c] = 0
        continue
      }
      let slope = Xy[c]
      for (const d of subset) slope -= XX[c * size + d] * weights[d]
      const next = Math.max(0, weights[c] + slope / curvature)
      change = Math.max(change, Math.abs(next - weights[c]))
      weights[c] = next
    }
    if (change < 1e-9) break
  }
  return weights
}
