/** Synthetic ratings of users, items and weeks. */
import { InputError } from '../../base/inputError.ts'
import { below, checkSeed, draw, extend, normal, purpose, stream, unit } from '../../base/random.ts'
import { float32Array, uint32Array } from '../../base/sharedArrays.ts'
import { checkDims } from '../checkTensor.ts'
import { coordinateTable } from '../order/coordinateTable.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/** The sizes and seed of synthetic ratings. */
export interface SyntheticRatingsOptions {
  /** The number of users. */
  users: number
  /** The number of items. */
  items: number
  /** The number of weeks. */
  weeks: number
  /** The number of ratings. */
  entries: number
  /** The same seed gives the same ratings; 1 by default. */
  seed?: number
}

/**
 * The number of tastes, such as genres. Before noise and rounding, the ratings have rank TASTES + 1: the
 * quality of the items is one more component.
 */
const TASTES = 6
/** Standard deviation of the noise, in stars. */
const NOISE_STARS = 0.3

/**
 * Makes ratings (users × items × weeks) from half a star to five. Each user and item has one or two of a few
 * hidden tastes, whose fashion drifts over the weeks. The first users are busy and the first items popular;
 * the others are a long tail. A user rates an item in one week only.
 */
export function syntheticRatings({
  users,
  items,
  weeks,
  entries,
  seed = 1,
}: SyntheticRatingsOptions): SparseTensor {
  const dims = [users, items, weeks]
  checkDims(dims)
  checkSeed(seed)
  if (!Number.isInteger(entries) || entries < 1)
    throw new InputError('option', `The number of ratings is ${entries}; it must be a whole number from 1.`)
  if (2 * entries > users * items)
    throw new InputError(
      'option',
      `${entries} ratings are more than half of the ${users} × ${items} pairs of a user and an item; ask for fewer.`,
    )
  const key = stream(seed, purpose.ratings)
  const indices = drawCoordinates(dims, entries, extend(key, 0))
  return { dims, indices, values: drawStars(dims, indices, extend(key, 1)) }
}

/**
 * Returns index columns (user, item, week) of distinct pairs of a user and an item, with a random week for
 * each; busy users and popular items, those with low indices, come more often.
 */
function drawCoordinates([users, items, weeks]: number[], entries: number, key: number): Uint32Array[] {
  const keys = [0, 1, 2].map((mode) => extend(key, mode))
  const cumulative = [cumulativeZipf(users), cumulativeZipf(items)]
  const pairs = [uint32Array(entries), uint32Array(entries)]
  const week = uint32Array(entries)
  const table = coordinateTable(pairs, entries)
  let attempt = 0
  for (let e = 0; e < entries; e++) {
    do {
      for (const mode of [0, 1])
        pairs[mode][e] = pickByWeight(cumulative[mode], unit(draw(keys[mode], attempt)))
      attempt++
    } while (table.add(e) !== e)
    week[e] = below(draw(keys[2], e), weeks)
  }
  return [...pairs, week]
}

/**
 * Returns running sums of the weights of Zipf's law, 1 / (i + 1 + count / 10): the shift flattens its head,
 * so that the first tenth is busy, not the first index alone.
 */
function cumulativeZipf(count: number): Float64Array {
  const sums = new Float64Array(count)
  let sum = 0
  for (let i = 0; i < count; i++) {
    sum += 1 / (i + 1 + count / 10)
    sums[i] = sum
  }
  return sums
}

/**
 * Returns the first index whose running sum exceeds u times the total.
 * @param sums running sums of weights
 * @param u in (0, 1)
 */
function pickByWeight(sums: Float64Array, u: number): number {
  const target = u * sums[sums.length - 1]
  let low = 0
  let high = sums.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sums[middle] > target) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Returns the rating of each entry in half stars from 0.5 to 5: the item's quality, tastes that user and item
 * have in common, times the fashion of the week, and noise.
 */
function drawStars(
  [users, items, weeks]: number[],
  indices: readonly Uint32Array[],
  key: number,
): Float32Array {
  const [user, item, week] = indices
  const likes = drawTastes(users, extend(key, 0)) // (users × TASTES)
  const has = drawTastes(items, extend(key, 1)) // (items × TASTES)
  const qualityKey = extend(key, 2)
  const noiseKey = extend(key, 3)
  const values = float32Array(user.length)
  for (let e = 0; e < values.length; e++) {
    let x = 0.5 + 2 * unit(draw(qualityKey, item[e]))
    for (let t = 0; t < TASTES; t++) {
      const fashion = 1 + 0.3 * Math.sin(2 * Math.PI * (week[e] / weeks + t / TASTES))
      x += 3 * likes[user[e] * TASTES + t] * has[item[e] * TASTES + t] * fashion
    }
    x += NOISE_STARS * normal(noiseKey, e)
    values[e] = Math.min(5, Math.max(0.5, Math.round(2 * x) / 2))
  }
  return values
}

/**
 * Returns (rows × TASTES) strengths: two random tastes (or twice the same one) for each row, the others zero.
 */
function drawTastes(rows: number, key: number): Float32Array {
  const weights = new Float32Array(rows * TASTES)
  for (let row = 0; row < rows; row++)
    for (const counter of [4 * row, 4 * row + 2]) {
      const taste = below(draw(key, counter), TASTES)
      weights[row * TASTES + taste] = 0.5 + 0.5 * unit(draw(key, counter + 1))
    }
  return weights
}
