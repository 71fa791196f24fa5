import { beforeAll, describe, expect, it } from 'vitest'
import { parseOrdered } from '#cli/commands/complete/ordered.ts'
import { rankPlot } from '#cli/report/rankPlot.ts'
import { trialPlot } from '#cli/report/trialPlot.ts'
import { decodeAnyModel, encodeEnsemble } from '#lacuna/folds.js'
import { decodeNpz, encodeNpz } from '#lacuna/formats.js'
import { complete, InputError, synthetic } from '#lacuna/index.js'
import { bestStart } from '#lacuna/solver/select/crossFit/bestStart.js'
import { gapsOf } from '#lacuna/tensor/gaps.js'
import { foldsOf, splitFold } from '#lacuna/tensor/split/folds.js'
import { completeWhole, type WholeCompletion } from './whole.ts'

const { tensor } = synthetic({ dims: [24, 20, 12], entries: 2500, rank: 3, snrDb: 15, seed: 2 })
const labelled = {
  ...tensor,
  modes: ['station', 'hour', 'day'].map((name) => ({ name })),
  labels: tensor.dims.map((dim, mode) => Array.from({ length: dim }, (_, row) => `${'shd'[mode]}${row}`)),
}

describe('models of folds', () => {
  let result: WholeCompletion
  beforeAll(async () => {
    // A station that nothing explains.
    const values = tensor.values.map((x, e) =>
      tensor.indices[0][e] === 7 ? Math.abs(3 * Math.sin(e * e)) : x,
    )
    const options = { rank: 3, threads: 2 }
    const ordered = [{ mode: 1, lags: [1, 6] }]
    result = (await completeWhole({ ...labelled, values }, options, { folds: 3, starts: 2, ordered }))!
  })

  it('out-of-fold errors are listed by mode and support, with the worst rows by label', () => {
    const { byMode, error } = result.outOfFold
    expect(byMode.map(({ name }) => name)).toEqual(['station', 'hour', 'day'])
    expect(byMode[0].worst[0]).toMatchObject({ label: 's7', row: 7 })
    expect(byMode[0].worst[0].share).toBeGreaterThan(0.3)
    for (const { bySupport } of byMode) {
      expect(bySupport.reduce((sum, { entries }) => sum + entries, 0)).toBe(error.entries)
      const squares = bySupport.reduce((sum, { entries, rmse }) => sum + entries * rmse ** 2, 0)
      expect(Math.sqrt(squares / error.entries)).toBeCloseTo(error.rmse, 6)
    }
    expect(result.model.training.outOfFold).toBe(result.outOfFold)
  })

  it('an ensemble records in how many models each component was found, and how well they match', () => {
    const { stability, model } = result
    expect(stability.found).toHaveLength(3)
    expect(stability.found).toEqual(model.components().map(({ found }) => found!.in))
    expect(stability.match).toBe(model.stability().match)
    expect(stability.coreConsistency).toBeLessThanOrEqual(1)
    expect(model.training.stability).toBe(stability)
  })

  it('an ensemble file with some of the arrays of intervals missing or of the wrong shape is refused', () => {
    const whole = encodeEnsemble(result.model)
    const entries = decodeNpz(whole, 'e.npz')
    const changed = (name: string, entry: (typeof entries)[string] | undefined): Uint8Array => {
      const { [name]: _, ...others } = entries
      return encodeNpz(entry === undefined ? others : { ...others, [name]: entry })
    }
    const name = 'residual_scale_2.npy'
    for (const entry of [
      undefined,
      { shape: [2], data: Float32Array.of(1, 1) },
      { shape: [20], data: new Float32Array(20) },
    ])
      expect(() => decodeAnyModel(changed(name, entry), 'e.npz')).toThrow('intervals')
    expect(() => decodeAnyModel(changed('nothing.npy', undefined), 'e.npz')).not.toThrow()
  })
})

describe('starts', () => {
  it('bestStart returns the seed with the smallest training error, and undefined when it is interrupted', async () => {
    const options = { rank: 4, seed: 6, threads: 1, epochs: 4 }
    const errors: [number, number][] = []
    for (const seed of [6, 1015, 2024]) {
      const { train } = await complete(tensor, { ...options, seed, prior: 'isotropic' })
      errors.push([train.rmse, seed])
    }
    const [[, best]] = errors.sort(([a], [b]) => a - b)
    expect(await bestStart(tensor, { ...options, noise: 'row' }, 3)).toBe(best)
    expect(await bestStart(tensor, options, 1)).toBe(6)
    expect(await bestStart(tensor, { ...options, signal: AbortSignal.abort() }, 2)).toBeUndefined()
  })

  it('every model of a cross-fit continues from the best of its own starts', async () => {
    const options = { rank: 4, seed: 6, threads: 1, epochs: 4 }
    const { model } = (await completeWhole(tensor, options, { folds: 2, starts: 3 }))!
    const folds = foldsOf(tensor, gapsOf(tensor), 2, 6)
    for (const [fold, member] of model.members.entries()) {
      const { train } = splitFold(tensor, folds, fold)
      expect(member.training.seed).toBe(await bestStart(train, { ...options, seed: 6 + fold }, 3))
    }
    expect(model.members.some(({ training }, fold) => training.seed !== 6 + fold)).toBe(true)
  })

  it('a number of starts of 0 is refused', async () => {
    await expect(completeWhole(tensor, {}, { starts: 0 })).rejects.toThrow(
      'starts is 0; it must be a whole number from 1 to 100.',
    )
  })
})

describe('ordered modes', () => {
  it('parseOrdered reads modes by number or name, with their periods', () => {
    expect(parseOrdered(['2', '3'], labelled)).toEqual([{ mode: 1 }, { mode: 2 }])
    expect(parseOrdered(['2,3'], labelled)).toEqual([{ mode: 1 }, { mode: 2 }])
    expect(parseOrdered(['hour:6,day:7'], labelled)).toEqual([
      { mode: 1, lags: [1, 6] },
      { mode: 2, lags: [1, 7] },
    ])
    expect(parseOrdered(['hour:12+6'], labelled)).toEqual([{ mode: 1, lags: [1, 6, 12] }])
  })

  it.each([
    ['hour:99', 'period of 99 for hour, which has 20 rows'],
    ['hour:0', 'period of 0 for hour'],
    ['week', "names mode 'week'"],
    ['hour:x', "names mode 'hour:x'"],
    ['', "is ''; give modes"],
  ])("parseOrdered refuses '%s'", (text, why) => {
    expect(() => parseOrdered([text], labelled)).toThrow(InputError)
    expect(() => parseOrdered([text], labelled)).toThrow(why)
  })

  it('completeByFolds refuses a lag of 0 of an ordered mode', async () => {
    const ordered = [{ mode: 1, lags: [0] }]
    await expect(completeWhole(tensor, {}, { ordered })).rejects.toThrow('cannot be 0 apart')
  })
})

it('rankPlot draws the errors of all ranks, and once more those near the best', async () => {
  const trials = [90, 60, 40, 36, 35, 35.1].map((rmse, i) => ({ rank: 2 ** i, rmse, spread: 0.5 }))
  const circles = (text: string): number => text.match(/<circle /g)!.length
  const svg = await rankPlot(trials, trials[4], 'svg')
  expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
  expect(svg).toContain('chosen: rank 16, 35')
  expect(circles(svg)).toBe(2 + 6 + 3) // in the legend, of all, and of 36, 35 and 35.1
  const few = trials.slice(3)
  expect(circles(await rankPlot(few, few[0], 'svg'))).toBe(2 + 3)
  const page = await rankPlot(trials, trials[4], 'html')
  expect(page).toContain('<td>16</td><td>35</td><td>± 0.5</td><td>chosen</td>')
  expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/)
})

it('trialPlot draws every trial of a search by name, the best first, with the weights of those combined', async () => {
  const trials = [
    { name: 'rank 8 (2 folds)', rmse: 3, spread: 0.2 },
    { name: 'rank 64 <b>', rmse: 1, spread: 0.1, weight: 0.6 },
    { name: 'rank 16, merged 1,2', rmse: 1.2, spread: 0.1, weight: 0.4 },
  ]
  const svg = await trialPlot(trials, 'svg')
  expect(svg.indexOf('rank 64 &lt;b&gt;')).toBeLessThan(svg.indexOf('rank 16, merged 1,2'))
  expect(svg.indexOf('rank 16, merged 1,2')).toBeLessThan(svg.indexOf('rank 8 (2 folds)'))
  expect(svg.match(/<circle/g)!.length).toBeGreaterThanOrEqual(3)
  const html = await trialPlot(trials, 'html')
  expect(html).toContain('<td>rank 16, merged 1,2</td><td>1.2</td><td>± 0.1</td><td>0.4</td>')
  expect(html).not.toContain('<b>')
})
