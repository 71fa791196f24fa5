/** Fills the holes of a picture by a mixture of Gaussians over its patches. */
import { bell, type Size } from '../patches.ts'
import { kindOf, type PatchClass } from './classes.ts'
import { hasHole, holeDistances } from './holeDistances.ts'
import { logLikelihoods, type PatchMixture } from './learn.ts'
import { nextTask } from './nextTask.ts'
import { Observations } from './observations.ts'
import { makeViews, type View } from './views.ts'

/** Most classes whose posterior means are averaged in one patch, and the least probability of each. */
const MOST_CLASSES = 3
const LEAST_PROBABILITY = 0.1
/** Rows of patches between two checks of the abort signal. */
const ROWS_AT_ONCE = 8

/** The most probable classes of each patch with their probabilities, which sum to 1. */
export type Choices = [k: number, probability: number][][]

/**
 * Called during a prediction with rows of pixels that are final; awaited.
 * @param first the first of the rows
 * @param values of the rows (rows × width × channels)
 */
export type OnRows = (first: number, values: Float32Array) => void | Promise<void>

/**
 * Returns the picture (height × width × channels) that a mixture expects, given the known values: the mean of
 * all patches that contain a pixel, weighted most in the middle of a patch. Known values are returned as they
 * are.
 * @param known 1 where a value is known
 * @param elsewhere values of pixels in no patch with a known value
 * @param choices the classes of patches that are known already; those of others are added
 * @param signal ends the work; then pixels that were not reached are those of `elsewhere`
 * @param onRows called with the rows of the picture, from top to bottom, as soon as they are final
 */
export async function predictByMixture(
  { grid, classes }: PatchMixture,
  values: Float32Array,
  known: Uint8Array,
  size: Size,
  elsewhere: Float32Array,
  choices: Choices,
  signal?: AbortSignal,
  onRows?: OnRows,
): Promise<Float32Array> {
  const { width, height, views, toPicture } = makeViews(values, known, size)
  const { rows, columns, tops, lefts } = grid
  const pixels = rows * columns
  const distances = holeDistances(views, width, height)
  const patch = new Observations(grid, size.channels)
  const sums = Array.from({ length: size.channels }, () => new Float32Array(width * height))
  const total = new Float32Array(width * height)
  const [down, along] = [bell(rows), bell(columns)]
  const weights = Float64Array.from(
    { length: pixels },
    (_, x) => down[Math.floor(x / columns)] * along[x % columns],
  )
  const offsets = Uint32Array.from(
    { length: pixels },
    (_, x) => Math.floor(x / columns) * width + (x % columns),
  )
  const means = sums.map(() => new Float64Array(pixels))
  const picture = new Float32Array(values.length)
  let done = 0
  /** Computes the rows of the picture above `end`, which no later patch contains. */
  const finishRows = (end: number): Float32Array => {
    const [from, to] = [done * width, end * width]
    done = end
    for (const sum of sums) for (let p = from; p < to; p++) if (total[p] > 0) sum[p] /= total[p]
    const rowValues = toPicture(sums.map((sum) => sum.subarray(from, to)))
    const first = from * size.channels
    for (let at = 0; at < rowValues.length; at++)
      if (known[first + at]) rowValues[at] = values[first + at]
      else if (total[from + Math.floor(at / size.channels)] === 0) rowValues[at] = elsewhere[first + at]
    picture.set(rowValues, first)
    return rowValues
  }
  for (const [row, top] of tops.entries()) {
    if (row % ROWS_AT_ONCE === 0) {
      await nextTask()
      const first = done
      const rowValues = finishRows(top)
      if (top > first) await onRows?.(first, rowValues)
    }
    if (signal?.aborted) break
    for (const [column, left] of lefts.entries()) {
      const corner = top * width + left
      patch.take(views[0], corner, width, distances)
      if (patch.count === 0 || !hasHole(distances, corner, width, grid)) continue
      for (const mean of means) mean.fill(0)
      const number = row * lefts.length + column
      choices[number] ??= probableClasses(logLikelihoods(patch, classes))
      const probable = choices[number]
      for (const [k, probability] of probable)
        addPosteriorMeans(patch, views[0], classes[k], probability, means)
      for (const view of views.slice(1)) {
        patch.take(view, corner, width, distances)
        addPosteriorMeans(patch, view, classes[probable[0][0]], 1, means)
      }
      for (let x = 0; x < pixels; x++) total[corner + offsets[x]] += weights[x]
      for (const [plane, sum] of sums.entries()) {
        const mean = means[plane]
        for (let x = 0; x < pixels; x++) sum[corner + offsets[x]] += weights[x] * mean[x]
      }
    }
  }
  const first = done
  const rowValues = finishRows(height)
  if (!signal?.aborted) await onRows?.(first, rowValues)
  return picture
}

/** Returns the most probable classes with their probabilities, which are scaled to sum 1. */
function probableClasses(logProbabilities: Float64Array): Choices[number] {
  const order = [...logProbabilities.keys()].sort(
    (a, b) => logProbabilities[b] - logProbabilities[a] || a - b,
  )
  const best = logProbabilities[order[0]]
  const relative = logProbabilities.map((x) => Math.exp(x - best))
  const sum = relative.reduce((total, x) => total + x, 0)
  const chosen = order
    .slice(0, MOST_CLASSES)
    .filter((k, n) => n === 0 || relative[k] > LEAST_PROBABILITY * sum)
  const chosenSum = chosen.reduce((total, k) => total + relative[k], 0)
  return chosen.map((k) => [k, relative[k] / chosenSum])
}

/** Adds a multiple of the posterior means Σ Wᵀ S⁻¹x of the planes of a view to the means of all planes. */
function addPosteriorMeans(
  patch: Observations,
  { planes }: View,
  patchClass: PatchClass,
  multiple: number,
  means: Float64Array[],
): void {
  const { count, pixels, solution } = patch
  patch.factorize(patchClass)
  patch.solve()
  for (const plane of planes) {
    const [weights, mean] = [patch.weights[plane], means[plane]]
    const covariance = patchClass.covariances[kindOf(plane)]
    for (let i = 0; i < count; i++) {
      const factor = multiple * weights[i] * solution[i]
      const row = pixels[i] * mean.length
      for (let x = 0; x < mean.length; x++) mean[x] += factor * covariance[row + x]
    }
  }
}
