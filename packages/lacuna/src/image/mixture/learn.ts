/**
 * A mixture of Gaussians over the patches of a picture, learned by EM from its known values alone (piecewise
 * linear estimators: Yu, Sapiro & Mallat 2012). Each patch belongs to the class of the highest likelihood.
 *
 * The M step averages the second moments of the patches' posteriors. With the covariance S of a patch's
 * observations x that mean is Σ + Σ M Σ, where M is the mean of Wᵀ (S⁻¹x xᵀS⁻¹ − S⁻¹) W, whose entries lie at
 * the observed pixels: a patch with n observations costs n³, however large it is.
 */
import { type PatchGrid, patchGrid, type Size } from '../patches.ts'
import { kindOf, type PatchClass, startingClasses } from './classes.ts'
import { hasHole, holeDistances } from './holeDistances.ts'
import { nextTask } from './nextTask.ts'
import { Observations, SPREAD } from './observations.ts'
import { makeViews, type Views } from './views.ts'

/** Iterations of EM. */
const ITERATIONS = 2
/** Most patches that an iteration learns from; they are evenly spaced, others in each iteration. */
const LEARNED_PATCHES = 3000
/** Colours are learned from one of this number of patches: they vary less than lightness. */
const COLOUR_STEP = 3
/** Fewest patches that change the covariance of a class. */
const LEAST_PATCHES = 50
/** Patches that the covariance of a class before the iteration counts as. */
const PRIOR_PATCHES = 20
/** Classes that are compared by all observations of a patch. */
const CANDIDATES = 6
/** Observations that the edge of patches is chosen for, within limits in pixels. */
const WANTED_OBSERVATIONS = 16
const EDGES = { least: 10, most: 16 }

/** A mixture of Gaussians over the patches of a picture. */
export interface PatchMixture {
  /** The positions of the patches; all have one shape. */
  grid: PatchGrid
  classes: PatchClass[]
}

/**
 * Learns a mixture from the known values of a picture.
 * @param values (height × width × channels)
 * @param known 1 where a value is known
 * @param signal ends learning after the current iteration
 */
export async function learnMixture(
  values: Float32Array,
  known: Uint8Array,
  size: Size,
  signal?: AbortSignal,
): Promise<PatchMixture> {
  const views = makeViews(values, known, size)
  const grid = chooseGrid(known, views, size)
  const classes = startingClasses(views, grid)
  const corners = cornersWithHoles(views, grid)
  const every = Math.max(1, Math.ceil(corners.length / LEARNED_PATCHES))
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    await nextTask()
    if (signal?.aborted) break
    const chosen = corners.filter((_, n) => n % every === iteration % every)
    iterateEm(classes, views, grid, chosen)
  }
  return { grid, classes }
}

/** Returns the grid of patches that have about WANTED_OBSERVATIONS in each view. */
function chooseGrid(known: Uint8Array, { views }: Views, size: Size): PatchGrid {
  let count = 0
  for (const is of known) count += is
  const perPixel = count / (size.width * size.height * views.length)
  const edge = Math.round(Math.sqrt(WANTED_OBSERVATIONS / perPixel))
  const clipped = Math.min(EDGES.most, Math.max(EDGES.least, edge))
  return patchGrid(size, clipped, Math.floor(clipped / 3))
}

/** Returns the first pixels of the patches that have a hole. */
function cornersWithHoles({ width, height, views }: Views, grid: PatchGrid): number[] {
  const distances = holeDistances(views, width, height)
  return grid.tops
    .flatMap((top) => grid.lefts.map((left) => top * width + left))
    .filter((corner) => hasHole(distances, corner, width, grid))
}

/** Runs one iteration of EM over the patches at the given corners; changes the classes in place. */
function iterateEm(
  classes: PatchClass[],
  { width, height, views }: Views,
  grid: PatchGrid,
  corners: number[],
): void {
  const pixels = grid.rows * grid.columns
  const distances = holeDistances(views, width, height)
  const patch = new Observations(grid, views.flatMap(({ planes }) => planes).length)
  const moments = classes.map(({ covariances }) => covariances.map(() => new Float64Array(pixels * pixels)))
  const counts = new Float64Array(classes.length)
  const coloured = new Float64Array(classes.length) // of them, patches whose colours are learned from
  for (const [n, corner] of corners.entries()) {
    patch.take(views[0], corner, width, distances)
    if (patch.count === 0) continue
    const best = indexOfLargest(logLikelihoods(patch, classes))
    counts[best]++
    const isColoured = views.length === 1 || n % COLOUR_STEP === 0
    if (isColoured) coloured[best]++
    for (const view of isColoured ? views : views.slice(0, 1)) {
      if (view !== views[0]) patch.take(view, corner, width, distances)
      patch.factorize(classes[best])
      patch.solve()
      addMoments(patch, view.planes, moments[best], pixels)
    }
  }
  const total = counts.reduce((sum, count) => sum + count + 1, 0)
  for (const [k, patchClass] of classes.entries()) {
    patchClass.logFraction = Math.log((counts[k] + 1) / total)
    if (counts[k] < LEAST_PATCHES) continue
    for (const [kind, covariance] of patchClass.covariances.entries()) {
      const patches = kind === 0 ? counts[k] : 2 * coloured[k]
      addProduct(covariance, moments[k][kind], 1 / (patches + PRIOR_PATCHES), pixels)
    }
  }
}

/**
 * Returns the logarithm of the probability of a patch's observations and each class, up to a constant. Classes
 * that are unlikely by a few observations are ruled out (−∞).
 */
export function logLikelihoods(patch: Observations, classes: readonly PatchClass[]): Float64Array {
  const evaluate = (k: number, count: number): number =>
    classes[k].logFraction - patch.factorize(classes[k], count) - patch.squaredNorm(count) / 2
  const few = Math.min(patch.count, SPREAD)
  const likelihoods = Float64Array.from(classes, (_, k) => evaluate(k, few))
  if (few === patch.count) return likelihoods
  const limit = likelihoods.slice().sort()[classes.length - CANDIDATES]
  return likelihoods.map((x, k) => (x >= limit ? evaluate(k, patch.count) : -Infinity))
}

/** Returns the index of the largest number. */
const indexOfLargest = (numbers: Float64Array): number =>
  numbers.reduce((best, x, k) => (x > numbers[best] ? k : best), 0)

/** Adds Wᵀ (S⁻¹x xᵀS⁻¹ − S⁻¹) W of the patch to the moments of each kind of plane. */
function addMoments(
  patch: Observations,
  planes: readonly number[],
  moments: Float64Array[],
  size: number,
): void {
  const { count, pixels, solution } = patch
  for (let j = 0; j < count; j++) {
    const column = patch.inverseColumn(j)
    for (const plane of planes) {
      const moment = moments[kindOf(plane)]
      const weights = patch.weights[plane]
      for (let i = 0; i < count; i++)
        moment[pixels[i] * size + pixels[j]] +=
          weights[j] * weights[i] * (solution[i] * solution[j] - column[i])
    }
  }
}

/** Adds factor · Σ M Σ to Σ, in place; both are symmetric (size × size). */
function addProduct(covariance: Float64Array, moment: Float64Array, factor: number, size: number): void {
  const added = multiply(multiply(covariance, moment, size), covariance, size, true)
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      covariance[i * size + j] += factor * added[i * size + j]
      covariance[j * size + i] = covariance[i * size + j]
    }
}

/**
 * Multiplies two matrices (size × size). Four terms are added at a time, in ascending order: learning
 * spends most of its time here where patches are large, and sums in memory would take twice as long.
 * @param isLower whether the lower triangle alone is wanted; the rest is zero then
 */
function multiply(A: Float64Array, B: Float64Array, size: number, isLower = false): Float64Array {
  const C = new Float64Array(size * size)
  for (let i = 0; i < size; i++) {
    const row = i * size
    const end = isLower ? i + 1 : size
    const first = size % 4
    for (let k = 0; k < first; k++) for (let j = 0; j < end; j++) C[row + j] += A[row + k] * B[k * size + j]
    for (let k = first; k < size; k += 4) {
      const [a, b, c, d] = [A[row + k], A[row + k + 1], A[row + k + 2], A[row + k + 3]]
      for (let j = 0, at = k * size; j < end; j++, at++)
        C[row + j] = C[row + j] + a * B[at] + b * B[at + size] + c * B[at + 2 * size] + d * B[at + 3 * size]
    }
  }
  return C
}
