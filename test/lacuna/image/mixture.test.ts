import { describe, expect, it } from 'vitest'
import { invertSymmetric } from '#lacuna/base/inverse.js'
import { addWeighted, blendWeights } from '#lacuna/image/blendWeights.js'
import { pickHeldOut } from '#lacuna/image/heldOut.js'
import { drawFacade, hideAtRandom } from '#lacuna/image/index.js'
import { startingClasses } from '#lacuna/image/mixture/classes.js'
import { holeDistances } from '#lacuna/image/mixture/holeDistances.js'
import { learnMixture, predictByMixture } from '#lacuna/image/mixture/index.js'
import { logLikelihoods } from '#lacuna/image/mixture/learn.js'
import { Observations } from '#lacuna/image/mixture/observations.js'
import { makeViews } from '#lacuna/image/mixture/views.js'
import { smoothValues } from '#lacuna/image/smoothStart.js'

const facade = drawFacade(96, 64)
const values = Float32Array.from(facade.data, (x) => x / 255)

/** Mean squared error on the values that are not known. */
function errorOf(filled: Float32Array, truth: Float32Array, known: Uint8Array): number {
  let [sum, count] = [0, 0]
  for (let at = 0; at < truth.length; at++)
    if (!known[at]) {
      sum += (filled[at] - truth[at]) ** 2
      count++
    }
  return sum / count
}

describe('views', () => {
  it.each([
    ['whole pixels', false, 3],
    ['single values', true, 1],
  ])('makeViews of %s explains each known value by the weighted planes', (_, perChannel, count) => {
    const known = hideAtRandom(facade, { share: 0.6, perChannel, seed: 4 })
    const { views, toPicture } = makeViews(values, known, facade)
    expect(views).toHaveLength(count)
    const planes = [0, 1, 2].map((c) =>
      Float32Array.from({ length: 96 * 64 }, (_, p) => Math.sin(p * (c + 1))),
    )
    const picture = toPicture(planes)
    const black = toPicture(planes.map((plane) => plane.map(() => 0)))
    // What a signal sees of the planes is the picture, rotated or not.
    const energy = (numbers: Iterable<number>): number => [...numbers].reduce((sum, x) => sum + x * x, 0)
    for (const p of [0, 777, 4242]) {
      const seen = views.flatMap(({ signals }) =>
        signals.map(({ weights }) => weights.reduce((sum, weight, c) => sum + weight * planes[c][p], 0)),
      )
      const pixel = [0, 1, 2].map((k) => picture[3 * p + k] - black[3 * p + k])
      if (perChannel)
        seen.forEach((x, k) => {
          expect(x).toBeCloseTo(pixel[k], 5)
        })
      else expect(energy(seen)).toBeCloseTo(energy(pixel), 5)
    }
  })
})

describe('observations of a patch', () => {
  const shape = { rows: 6, columns: 6 }
  const known = hideAtRandom(facade, { share: 0.7, seed: 2 })
  const { width, height, views } = makeViews(values, known, facade)
  const distances = holeDistances(views, width, height)
  const [patchClass] = startingClasses(makeViews(values, known, facade), shape)

  it('factorize and solve give the likelihood and the solution of the dense system', () => {
    const patch = new Observations(shape, 3)
    patch.take(views[0], 20 * width + 30, width, distances)
    const { count: n, pixels, weights } = patch
    expect(n).toBeGreaterThan(5)
    const S = Float64Array.from({ length: n * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n]
      return weights[0][i] * weights[0][j] * patchClass.covariances[0][pixels[i] * 36 + pixels[j]]
    })
    const inverse = invertSymmetric(S, n, 1e-4) // the floor is the variance of the noise
    const x = [...patch.values.subarray(0, n)]
    const expected = x.map((_, i) => x.reduce((sum, value, j) => sum + inverse[i * n + j] * value, 0))
    patch.factorize(patchClass)
    expect(patch.squaredNorm()).toBeCloseTo(
      x.reduce((sum, value, i) => sum + value * expected[i], 0),
      6,
    )
    patch.solve()
    expected.forEach((y, i) => {
      expect(patch.solution[i]).toBeCloseTo(y, 6)
    })
    for (let j = 0; j < n; j++)
      patch
        .inverseColumn(j)
        .subarray(0, n)
        .forEach((y, i) => {
          expect(y / 1e4).toBeCloseTo(inverse[i * n + j] / 1e4, 8)
        })
  })

  it('a patch of many known pixels is observed at those nearest to holes', () => {
    const almost = new Uint8Array(known.length).fill(1).fill(0, (30 * 96 + 40) * 3, (30 * 96 + 42) * 3)
    const seen = makeViews(values, almost, facade)
    const large = { rows: 12, columns: 12 }
    const patch = new Observations(large, 3)
    const corner = 25 * 96 + 35
    patch.take(seen.views[0], corner, 96, holeDistances(seen.views, 96, 64))
    expect(patch.count).toBe(40)
    const steps = [...patch.pixels.subarray(0, 40)].map((x) => {
      const [i, j] = [25 + Math.floor(x / 12), 35 + (x % 12)]
      return Math.abs(i - 30) + Math.min(Math.abs(j - 40), Math.abs(j - 41))
    })
    expect(Math.max(...steps)).toBeLessThanOrEqual(4)
    expect(new Set(patch.pixels.subarray(0, 40)).size).toBe(40)
  })
})

describe('a mixture of Gaussians over patches', () => {
  const known = hideAtRandom(facade, { share: 0.8, seed: 3 })

  it('learnMixture makes the known values more likely than the classes that it starts with', async () => {
    const views = makeViews(values, known, facade)
    const { grid, classes } = await learnMixture(values, known, facade)
    const distances = holeDistances(views.views, 96, 64)
    const patch = new Observations(grid, 3)
    const likelihood = (of: typeof classes): number => {
      let sum = 0
      for (const top of grid.tops)
        for (const left of grid.lefts) {
          patch.take(views.views[0], top * 96 + left, 96, distances)
          sum += Math.max(...logLikelihoods(patch, of))
        }
      return sum
    }
    const start = startingClasses(views, grid)
    const sameFractions = start.map((each, k) => ({ ...each, logFraction: classes[k].logFraction }))
    expect(likelihood(sameFractions)).toBeGreaterThan(likelihood(start) + 100)
    expect(likelihood(classes)).toBeGreaterThan(likelihood(sameFractions) + 500)
    for (const { covariances } of classes)
      for (const covariance of covariances) expect(covariance.every(Number.isFinite)).toBe(true)
  })

  it.each([false, true])(
    'predictByMixture continues slanting stripes far better than a thin plate (single values hidden: %s)',
    async (perChannel) => {
      const stripes = Float32Array.from(values, (_, at) => {
        const p = Math.floor(at / 3)
        return 0.5 + (0.4 - 0.1 * (at % 3)) * Math.sin(0.9 * ((p % 96) + 0.6 * Math.floor(p / 96)))
      })
      const shown = hideAtRandom(facade, { share: 0.85, seed: 5, perChannel })
      const plate = smoothValues(stripes, shown, facade)
      const mixture = await learnMixture(stripes, shown, facade)
      const filled = await predictByMixture(mixture, stripes, shown, facade, plate, [])
      expect(errorOf(filled, stripes, shown)).toBeLessThan(0.5 * errorOf(plate, stripes, shown))
      for (let at = 0; at < shown.length; at++) if (shown[at]) expect(filled[at]).toBe(stripes[at])
    },
  )

  it('predictByMixture leaves pixels far inside a hole, or after an abort, as they were', async () => {
    const hole = known.map((_, at) => (Math.floor(at / 3) % 96 < 48 ? 0 : 1))
    const elsewhere = new Float32Array(values.length).fill(0.123)
    const mixture = await learnMixture(values, hole, facade)
    const filled = await predictByMixture(mixture, values, hole, facade, elsewhere, [])
    expect(filled[0]).toBe(Math.fround(0.123))
    expect(filled[3 * 47]).not.toBe(Math.fround(0.123))
    const stopped = await predictByMixture(mixture, values, hole, facade, elsewhere, [], AbortSignal.abort())
    expect(stopped[3 * 47]).toBe(Math.fround(0.123))
  })
})

describe('held-out pixels', () => {
  it('pickHeldOut takes single known pixels where most are hidden', () => {
    const known = hideAtRandom(facade, { share: 0.9, seed: 1 })
    const heldOut = pickHeldOut(known, facade, 1)
    const count = heldOut.reduce((sum, is) => sum + is, 0)
    expect(heldOut.every((is, at) => is <= known[at])).toBe(true)
    expect(count / known.reduce((sum, is) => sum + is, 0)).toBeCloseTo(0.05, 1)
    expect(count).toBeGreaterThan(0)
  })

  it('pickHeldOut takes pieces of a scratch’s shape where holes are scratches', () => {
    const inScratch = (i: number, j: number): boolean => Math.abs(j - i - 10) < 2
    const known = Uint8Array.from(values, (_, at) => {
      const p = Math.floor(at / 3)
      return inScratch(Math.floor(p / 96), p % 96) ? 0 : 1
    })
    const heldOut = pickHeldOut(known, facade, 1)
    expect(heldOut.includes(1)).toBe(true)
    heldOut.forEach((is, at) => {
      const p = Math.floor(at / 3)
      if (is)
        expect(known[at] === 1 && inScratch((Math.floor(p / 96) + 7) % 64, ((p % 96) + 11) % 96)).toBe(true)
    })
  })
})

describe('blend weights', () => {
  const start = new Float32Array(values.length)
  const guess = new Float32Array(values.length).fill(1)

  it('blendWeights without held-out values is the prior, and many held-out values overrule it', () => {
    const none = new Uint8Array(values.length)
    const all = none.map(() => 1)
    for (const prior of [0, 1] as const) {
      const undecided = blendWeights({ values: guess, heldOut: none, start, guess }, facade, prior)
      expect(undecided.every((weight) => weight === prior)).toBe(true)
      const right = blendWeights({ values: guess, heldOut: all, start, guess }, facade, prior)
      const wrong = blendWeights({ values: start, heldOut: all, start, guess }, facade, prior)
      for (const weight of right) expect(weight).toBeGreaterThan(0.93)
      for (const weight of wrong) expect(weight).toBeLessThan(0.07)
    }
  })

  it('blendWeights moves little from the prior by a few held-out values', () => {
    const few = new Uint8Array(values.length).fill(1, 0, 30)
    for (const weight of blendWeights({ values: guess, heldOut: few, start, guess }, facade, 0))
      expect(weight).toBeLessThan(0.25)
  })

  it('addWeighted adds the weighted difference to each channel of a pixel', () => {
    const base = Float32Array.of(1, 2, 3, 4)
    const added = addWeighted(base, Float32Array.of(0, 0.5), {
      start: Float32Array.of(0, 0, 1, 1),
      guess: Float32Array.of(9, 9, 3, 5),
    })
    expect([...added]).toEqual([1, 2, 4, 6])
  })
})
