/** Answers of the studio's worker about a model, without a browser. */
import { describe, expect, it } from 'vitest'
import { CpModel } from '#lacuna/model/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { formatByError } from '../../../packages/figures/src/numbers.ts'
import type { Validation } from '../../../packages/studio/src/complete/answers.ts'
import { stepsOf } from '../../../packages/studio/src/complete/explorer/components/steps.ts'
import {
  defaultQuestion,
  ownRowQuestion,
} from '../../../packages/studio/src/complete/explorer/shared/defaultQuestion.ts'
import { typicalError } from '../../../packages/studio/src/complete/explorer/shared/typicalError.ts'
import { describeTrust } from '../../../packages/studio/src/complete/explorer/trust.ts'
import type { ModelSummary } from '../../../packages/studio/src/complete/protocol.ts'
import type { HeldModel } from '../../../packages/studio/src/complete/worker/answers/answeringModel.ts'
import { reduceProfile } from '../../../packages/studio/src/complete/worker/answers/components.ts'
import { splitLine } from '../../../packages/studio/src/complete/worker/answers/parseQueries.ts'
import { mapPlaces } from '../../../packages/studio/src/complete/worker/answers/places.ts'
import { modelQueries } from '../../../packages/studio/src/complete/worker/answers/queries.ts'
import {
  calibrate,
  histogramOf,
  leverages,
} from '../../../packages/studio/src/complete/worker/answers/validation.ts'
import {
  inspectSideTable,
  readSideTable,
} from '../../../packages/studio/src/complete/worker/readSideTable.ts'
import { isTimeMode, summarizeModel } from '../../../packages/studio/src/complete/worker/summary.ts'

/** Four users and five films, of ratings up to 5: the first two films would get more than 5 from everyone. */
const films = new CpModel({
  dims: [4, 5],
  rank: 2,
  factors: [Float32Array.of(2, 1, 2, 1, 1, 1, 1, 2), Float32Array.of(3, 0, 4, 0, 1, 0, 0, 1, 0.2, 0.2)],
  modes: [{ name: 'user' }, { name: 'film' }],
  labels: [
    ['ann', 'bo', 'cy', 'di'],
    ['10', '20', '30', '40', '50'],
  ],
  observed: {
    ...{ entries: 12, min: 0, max: 5, mean: 3 },
    counts: [Uint32Array.of(3, 3, 3, 3), Uint32Array.of(4, 3, 2, 2, 1)],
    means: [new Float32Array(4).fill(3), new Float32Array(5).fill(3)],
  },
})
const ratings: SparseTensor = {
  dims: [4, 5],
  indices: [Uint32Array.of(0, 0, 1, 2, 3), Uint32Array.of(0, 2, 1, 3, 4)],
  values: Float32Array.of(5, 2, 4, 1, 1),
}
const held = (changes: Partial<HeldModel> = {}): HeldModel => ({
  model: films,
  data: ratings,
  folded: [],
  ...changes,
})
const lines = async (file: Blob): Promise<string[]> => (await file.text()).trim().split('\n')

describe('the first question about a model', () => {
  it('ranks the second mode that is not of times for a row of the first, however many rows they have', () => {
    const [users, movies, weeks] = [
      { size: 610, isTime: false },
      { size: 9724, isTime: false },
      { size: 99_999, isTime: true },
    ]
    expect(defaultQuestion([users, movies, weeks])).toEqual({ ranked: 1, asked: 0 })
    expect(defaultQuestion([weeks, movies, users])).toEqual({ ranked: 2, asked: 1 })
    expect(defaultQuestion([weeks, users])).toEqual({ ranked: 1, asked: 0 })
    expect(defaultQuestion([weeks, { size: 7, isTime: true }])).toEqual({ ranked: 0, asked: 1 })
    // A new row is a user, not a week.
    expect(ownRowQuestion([weeks, users])).toEqual({ ranked: 0, asked: 1 })
    expect(ownRowQuestion([users, weeks])).toEqual({ ranked: 1, asked: 0 })
    expect(ownRowQuestion([users, movies, weeks])).toEqual({ ranked: 1, asked: 0 })
  })

  it('knows modes of times by type, binning and name', () => {
    expect(isTimeMode({ name: 'week(timestamp)' })).toBe(true)
    expect(isTimeMode({ name: 'seen', type: 'TIMESTAMP' })).toBe(true)
    expect(isTimeMode({ name: 'orderDate' })).toBe(true)
    expect(isTimeMode({ name: 'movieId' })).toBe(false)
    expect(isTimeMode({ name: 'daylight' })).toBe(false)
  })
})

describe('a model that was opened without its data', () => {
  const train = { relative: 0.1, rmse: 0.5, mae: 0.4, entries: 12 }
  const opened = new CpModel({ ...films.fields, training: { train } })

  it('has the digits that the error of its training record leaves, on the page and in saved tables', async () => {
    const summary = summarizeModel(opened)
    expect(typicalError(summary)).toBe(0.5)
    expect(typicalError(summarizeModel(new CpModel({ ...films.fields, training: { train: 3 } })))).toBe(
      undefined,
    )
    const factors = [films.factors[0].map((x) => x / 3), films.factors[1]]
    const thirds = new CpModel({ ...films.fields, factors, training: { train } })
    const { exportTable } = modelQueries(() => held({ model: thirds, data: undefined }))
    expect((await lines(exportTable({ kind: 'cells' }).file))[3]).toBe('ann,30,,0.67')
  })
})

describe('a ranking', () => {
  it('is by the score before it is limited to the observed values, with the support of each row', () => {
    const { top } = modelQueries(() => held())
    const ranked = top(['ann', ''], 1, 3, { skipObserved: false, minEntries: 1 })
    expect(ranked.map(({ label, predicted, score, entries }) => [label, predicted, score, entries])).toEqual([
      ['20', 5, 8, 3],
      ['10', 5, 6, 4],
      ['30', 2, 2, 2],
    ])
    expect(ranked[0].components).toEqual([{ number: 1, fraction: 1 }])
    expect(
      top(['ann', ''], 1, 5, { skipObserved: true, minEntries: 1 }).map(({ label }) => label),
    ).not.toContain('10')
  })

  it('takes the mean over a mode without a label', () => {
    const { top } = modelQueries(() => held())
    expect(top(['', ''], 1, 1, { skipObserved: false, minEntries: 1 })[0]).toMatchObject({
      label: '20',
      score: 6,
    })
  })

  it('for a row of one’s own leaves out what was given and says which of it a suggestion resembles', async () => {
    const mine = held()
    const queries = modelQueries(() => mine)
    const given = [
      { label: '10', value: 5 },
      { label: '40', value: 1 },
    ]
    const { added, model } = await queries.foldRow(
      0,
      'you',
      given.map(({ label, value }) => ({ labels: ['', label], value })),
    )
    expect(added).toEqual([['you'], []])
    expect(model.modes[0]).toMatchObject({ size: 4, own: 1 })
    const best = queries.suggestFor(['you', ''], 1, 10, 1, given)
    expect(best.map(({ label }) => label)).toEqual(['20', '30', '50'])
    expect(best[0].because).toEqual(['10'])
  })
})

describe('a row of one’s own', () => {
  const given = (value: number) => [10, 40].map((label) => ({ labels: ['', String(label)], value }))

  it('given again with other values is solved again', async () => {
    const mine = held()
    const { foldRow, predict, suggest } = modelQueries(() => mine)
    await foldRow(0, 'you', given(5))
    const high = predict(['you', '20']).predicted
    const { added } = await foldRow(0, 'you', given(0.5))
    expect(added).toEqual([['you'], []])
    expect(predict(['you', '20']).predicted).toBeLessThan(high / 2)
    expect(predict(['you', '10']).observed).toBe(0.5)
    expect(suggest(0, 'you')).toEqual(['you'])
    expect(mine.folded).toHaveLength(1)
  })

  it('is among the rows of a slice that has too many to show all', async () => {
    const users = 100
    const { fields } = films
    const many = new CpModel({
      ...fields,
      dims: [users, 5],
      factors: [new Float32Array(2 * users).fill(1), fields.factors[1]],
      labels: [Array.from({ length: users }, (_, n) => `u${n}`), fields.labels![1]!],
      observed: {
        ...films.observed!,
        counts: [new Uint32Array(users).fill(2), films.observed!.counts[1]],
        means: [new Float32Array(users).fill(3), films.observed!.means[1]],
      },
    })
    const indices = [0, 1].map((mode) =>
      Uint32Array.from({ length: 2 * users }, (_, e) => (mode === 0 ? e % users : Math.floor(e / users))),
    )
    const data = { dims: [users, 5], indices, values: new Float32Array(2 * users).fill(3) }
    const mine = held({ model: many, data })
    const { foldRow, slice } = modelQueries(() => mine)
    await foldRow(0, 'you', [{ labels: ['', '10'], value: 5 }])
    const { rows, hiddenRows } = slice(['', ''], 0, 1)
    expect(rows).toContain('you')
    expect(rows).toHaveLength(64)
    expect(hiddenRows).toBe(37)
  })

  it('leaves a model that was opened without its data one without observed entries', async () => {
    const mine = held({ data: undefined })
    const { foldRow, predict } = modelQueries(() => mine)
    const { model } = await foldRow(0, 'you', given(5))
    expect(model.observed).toBe(false)
    expect(predict(['ann', '10']).observed).toBeUndefined()
    expect(predict(['you', '10']).observed).toBe(5)
  })

  it('that is renamed replaces its former self, and can be removed', async () => {
    const mine = held()
    const { foldRow, ownRows, removeOwnRows, suggest } = modelQueries(() => mine)
    await foldRow(0, 'you', given(5))
    const { model } = await foldRow(0, 'me', given(5), 'you')
    expect(model.modes[0].own).toBe(1)
    expect(ownRows()).toEqual([{ labels: [['me'], []] }])
    expect(suggest(0, 'you')).toEqual([])
    await foldRow(0, 'she', given(4))
    // A name that another row has already replaces that one, too.
    await foldRow(0, 'she', given(3), 'me')
    expect(ownRows()).toEqual([{ labels: [['she'], []] }])
    expect((await removeOwnRows(0)).modes[0].own).toBeUndefined()
    expect(ownRows()).toEqual([])
    expect(mine.extended).toBeUndefined()
  })

  it('can be of several rows that refer to each other, of which each can be given again', async () => {
    const mine = held()
    const { foldIn, predict } = modelQueries(() => mine)
    await foldIn('ann,new film,4\nbo,new film,2')
    await foldIn('you,new film,5\nyou,10,1')
    const before = predict(['you', '20']).predicted
    expect((await foldIn('ann,new film,1\nbo,new film,1')).added).toEqual([[], ['new film']])
    expect(predict(['ann', 'new film']).observed).toBe(1)
    expect(predict(['you', '20']).predicted).not.toBe(before)
    await foldIn('eve,10,5\nfay,10,2')
    await expect(foldIn('fay,10,5')).rejects.toThrow('“fay” was added together with other rows')
  })

  it('changes nothing of the model, its components, counts, rankings, checks and intervals', async () => {
    const mine = held()
    const queries = modelQueries(() => mine)
    const answers = () => [
      ...[queries.components(), queries.places(), queries.validate(), mine.model.range],
      queries.top(['', '10'], 0, 9, { skipObserved: false, minEntries: 0 }),
      queries.top(['', ''], 1, 9, { skipObserved: false, minEntries: 0 }),
      queries.predict(['ann', '20']),
    ]
    const before = answers()
    await queries.foldRow(0, 'you', given(5))
    expect(answers()).toEqual(before)
    expect(queries.suggest(0, 'you')).toEqual(['you'])
  })

  it('is refused with the name of a row of the data, in any case, and with values outside those of the data', async () => {
    const mine = held()
    const { foldRow, foldIn } = modelQueries(() => mine)
    await expect(foldRow(0, 'Ann', given(5))).rejects.toThrow('“Ann” is a row of user in the data')
    await expect(foldRow(0, 'you', given(50))).rejects.toThrow('50 is outside the values of the data, 0 to 5')
    await expect(foldIn('you,10,50')).rejects.toThrow('outside the values')
    expect(mine.folded).toEqual([])
  })
})

it('a model with a learned prior has intervals of 90% around its predictions, within the observed values', () => {
  const identity = Float32Array.of(1, 0, 0, 1)
  const model = new CpModel({
    ...films.fields,
    prior: {
      ...{ kind: 'learned', sigma2: 0.25, noise: [1, 0, 0], least: 0 },
      means: [new Float32Array(2), new Float32Array(2)],
      precisions: [identity, identity],
    },
  })
  const { predict, top } = modelQueries(() => held({ model }))
  const { interval, predicted } = predict(['di', '50'])
  const { model: ofMean, noise } = model.variance([3, 4])
  expect(interval!.high - predicted).toBeCloseTo(1.6449 * Math.sqrt(ofMean + noise), 6)
  expect(interval!.low).toBe(0) // no observed value is smaller
  const [best] = top(['di', ''], 1, 1, { skipObserved: false, minEntries: 1 })
  expect(best.interval).toMatchObject({ level: 0.9 })
  expect(predict(['ann', '20']).interval!.high).toBe(5)
  expect(modelQueries(() => held()).predict(['ann', '20']).interval).toBeUndefined()
})

describe('saved predictions', () => {
  const save = (request: Parameters<ReturnType<typeof modelQueries>['exportTable']>[0]) =>
    modelQueries(() => held()).exportTable(request)

  it('are the gaps, a slice as a table with inferred cells marked, rankings, or listed cells', async () => {
    const gaps = save({ kind: 'gaps' })
    expect(gaps.rows).toBe(20 - ratings.values.length)
    expect((await lines(gaps.file)).slice(0, 2)).toEqual(['user,film,observed,prediction', 'ann,20,,5'])

    const wide = save({ kind: 'wide', labels: ['', ''], rows: 0, columns: 1 })
    expect((await lines(wide.file)).slice(0, 2)).toEqual(['user,10,20,30,40,50', 'ann,5,5*,2,1*,0.6*'])
    expect(wide.remark).toContain('*')

    const top = save({ kind: 'top', mode: 1, forMode: 0, most: 2, minEntries: 1, skipObserved: true })
    expect((await lines(top.file)).slice(0, 3)).toEqual([
      'user,rank,film,prediction,entries',
      'ann,1,20,8,3',
      'ann,2,40,1,2',
    ])
    expect(top.rows).toBe(8)

    const listed = save({ kind: 'queries', text: 'film;remark;user\n20;x;bo\n99;x;bo\n10;x;ann\n' })
    expect(await lines(listed.file)).toEqual(['user,film,observed,prediction', 'bo,20,4,5', 'ann,10,5,5'])
    expect(listed.remark).toContain('99;x;bo')
  })

  it('of a slice as a table have the order of the numbers in labels', async () => {
    const rows = ['S0', 'S1', 'S10', 'S11', 'S2', 'S3'].slice(0, 5)
    const model = new CpModel({ ...films.fields, labels: [films.labels![0], rows] })
    const { exportTable } = modelQueries(() => held({ model }))
    const wide = exportTable({ kind: 'wide', labels: ['', ''], rows: 0, columns: 1 })
    expect((await lines(wide.file))[0]).toBe('user,S0,S1,S2,S10,S11')
    const tall = exportTable({ kind: 'wide', labels: ['', ''], rows: 1, columns: 0 })
    expect((await lines(tall.file)).map((line) => line.split(',')[0])).toEqual([
      ...['film', 'S0', 'S1', 'S2', 'S10', 'S11'],
    ])
  })

  it('of rankings have intervals, or say why they have none', async () => {
    const identity = Float32Array.of(1, 0, 0, 1)
    const noise = { kind: 'learned', sigma2: 0.25, noise: [1, 0, 0], least: 0 } as const
    const priorOf = (modes: number) => ({
      ...noise,
      means: Array.from({ length: modes }, () => new Float32Array(2)),
      precisions: Array.from({ length: modes }, () => identity),
    })
    const request = { kind: 'top', mode: 1, forMode: 0, most: 1, minEntries: 1, skipObserved: false } as const
    const withPrior = new CpModel({ ...films.fields, prior: priorOf(2) })
    const queries = modelQueries(() => held({ model: withPrior }))
    const table = await lines(queries.exportTable(request).file)
    expect(table[0]).toBe('user,rank,film,prediction,low,high,entries')
    const [, , , , low, high] = table[1].split(',').map(Number)
    const { interval } = queries.top(['ann', ''], 1, 1, { skipObserved: false, minEntries: 1 })[0]
    expect(low).toBeCloseTo(interval!.low, 1)
    expect(high).toBeCloseTo(interval!.high, 1)

    const weekly = new CpModel({
      ...{ dims: [4, 5, 2], rank: 2, factors: [...films.factors, Float32Array.of(1, 1, 1, 1)] },
      modes: [{ name: 'user' }, { name: 'film' }, { name: 'week' }],
      labels: [...films.labels!, ['1', '2']],
      observed: {
        ...films.observed!,
        counts: [...films.observed!.counts, Uint32Array.of(6, 6)],
        means: [...films.observed!.means, new Float32Array(2).fill(3)],
      },
      prior: priorOf(3),
    })
    const averaged = modelQueries(() => held({ model: weekly, data: undefined })).exportTable(request)
    expect((await lines(averaged.file))[0]).toBe('user,rank,film,prediction,entries')
    expect(averaged.remark).toBe('There are no intervals, since predictions are averaged over week.')
  })

  it('refuse tables of more than a million cells and queries without a mode', () => {
    const large = new CpModel({
      dims: [2000, 2000],
      rank: 1,
      factors: [new Float32Array(2000), new Float32Array(2000)],
    })
    expect(() =>
      modelQueries(() => held({ model: large, data: undefined })).exportTable({ kind: 'cells' }),
    ).toThrow('4,000,000 cells')
    expect(() => save({ kind: 'queries', text: 'user,x\nann,1' })).toThrow('no column for film')
  })

  it('have the digits that the error leaves', () => {
    expect(formatByError(4.21378, 0.87)).toBe('4.21')
    expect(formatByError(1292.6471, 38.7)).toBe('1293')
    expect(formatByError(0.00123456, 0.0001)).toBe('0.001235')
    expect(formatByError(0.1, undefined)).toBe('0.1')
  })

  it('reads fields of pasted lines in quotes', () => {
    expect(splitLine('"Corner, ""left""",9,', ',')).toEqual(['Corner, "left"', '9', ''])
  })
})

describe('names of rows', () => {
  it('from another table stand for labels in suggestions, questions and answers', async () => {
    const mine = held()
    const csv = 'filmId,genre,title\n10,a,"Apartment, The"\n20,b,Brazil\n30,c,Twin\n40,d,Twin\n99,e,Other\n'
    const names = await readSideTable(mine.model, new File([csv], 'films.csv'), 'names')
    expect(names).toMatchObject({ mode: 'film', file: 'films.csv', names: { length: 5 } })
    const queries = modelQueries(
      () => mine,
      () => [names],
    )
    expect(queries.suggest(1, 'tw')).toEqual(['Twin (30)', 'Twin (40)'])
    expect(queries.predict(['ann', 'Apartment, The']).predicted).toBe(5)
    expect(queries.predict(['ann', '10']).predicted).toBe(5)
    expect(queries.components()[0].modes[1].strongest[0].label).toBe('Brazil')
    expect(queries.predict(['ANN', 'apartment, the']).predicted).toBe(5)
    expect(queries.findRow(1, ' brazil ')).toEqual({ label: 'Brazil', near: [] })
    expect(queries.findRow(1, 'Apartmant')).toEqual({
      near: ['Apartment, The'],
      problem: 'There is no film “Apartmant” in the data.',
    })
    expect(() => queries.predict(['ann', 'Metropolis'])).toThrow('There is no film “Metropolis” in the data.')
    const other = new File(['a,b\nx,y\n'], 'other.csv')
    await expect(readSideTable(mine.model, other, 'names')).rejects.toThrow('names no rows')
    expect(await inspectSideTable(mine.model, other)).toBeUndefined()
  })
})

describe('a component', () => {
  it('has its part of every cell of a slice', () => {
    const { slice } = modelQueries(() => held())
    const { component, predicted } = slice(['', ''], 0, 1, 1)
    expect(component![1]).toBe(predicted[1]) // ann and 20: all of it
    expect(component![4] / predicted[4]).toBeCloseTo(2 / 3, 5) // ann and 50: 2 · 0.2 of 3 · 0.2
    expect(slice(['', ''], 0, 1).component).toBeUndefined()
  })

  it('has a profile that keeps the largest value of every interval of rows', () => {
    const profile = Float32Array.from({ length: 1200 }, (_, row) => (row === 777 ? 1 : 0.1))
    const points = reduceProfile(profile, profile, String)
    expect(points).toHaveLength(120)
    expect(points.find(({ value }) => value === 1)).toMatchObject({ row: 770, label: '777' })
  })

  it('is drawn in steps of the same width, the last row among them', () => {
    const months = Array.from({ length: 12 }, (_, row) => (row + 1) / 12)
    const corners = stepsOf(reduceProfile(months, months, String), 12)
    const widths = corners.slice(1).map(({ row }, n) => row - corners[n].row)
    expect(widths).toEqual(Array.from({ length: 12 }, () => 1))
    expect(corners.map(({ value }) => value)).toEqual([...months, 1])
  })

  it('is drawn at the observed places where latitude and longitude were learned apart', () => {
    const dims = [2, 5, 6]
    const model = new CpModel({
      dims,
      rank: 1,
      factors: dims.map((dim) => Float32Array.from({ length: dim }, (_, row) => row + 1)),
      modes: [{ name: 'hour' }, { name: 'lat' }, { name: 'lon' }],
      labels: [['1', '2'], [1, 2, 3, 4, 5].map((n) => `5${n}.5`), [1, 2, 3, 4, 5, 6].map((n) => `1${n}.5`)],
    })
    const data = {
      dims,
      indices: [Uint32Array.of(0, 1, 0), Uint32Array.of(0, 4, 4), Uint32Array.of(0, 5, 5)],
      values: Float32Array.of(1, 2, 3),
    }
    const map = mapPlaces(model, data)!
    expect(map.isCrossed).toBe(true)
    expect(map.cells).toHaveLength(2)
    expect(Array.from(map.components[0])).toEqual([1, Math.fround(1 / 30)])
    expect(mapPlaces(films, ratings)).toBeUndefined()
  })
})

describe('checks of a model', () => {
  it('compare with held-out entries where there are any, and list the worst cells first', () => {
    const { validate } = modelQueries(() => held({ heldOut: () => ratings }))
    const found = validate()!
    expect(found).toMatchObject({ of: 'held-out', entries: 5 })
    expect(found.worst[0]).toMatchObject({ labels: ['bo', '20'], observed: 4, predicted: 5, residual: -1 })
    expect(modelQueries(() => held()).validate()!.of).toBe('training')
    expect(modelQueries(() => held({ data: undefined })).validate()).toBeUndefined()
  })

  it('have leverages between 0 and 1 that add up to the rank', () => {
    const factor = Float32Array.of(1, 0, 1, 0, 1, 0, 0, 5)
    const found = leverages(factor, 2)
    expect(found[3]).toBeCloseTo(1, 6)
    expect(found[0]).toBeCloseTo(1 / 3, 6)
    expect(found.reduce((sum, x) => sum + x, 0)).toBeCloseTo(2, 6)
  })

  it('count every residual, and group predictions from the smallest to the largest', () => {
    const residuals = Float32Array.from({ length: 1000 }, (_, n) => (n % 21) - 10)
    const bins = histogramOf(residuals)
    expect(bins.reduce((sum, { entries }) => sum + entries, 0)).toBe(1000)
    expect(bins[0].from).toBe(-bins.at(-1)!.to)
    const predicted = Float32Array.from({ length: 100 }, (_, n) => (n * 37) % 100)
    const groups = calibrate(
      predicted,
      predicted.map((x) => 2 * x),
    )
    expect(groups).toHaveLength(10)
    for (const { predicted: x, observed } of groups) expect(observed).toBeCloseTo(2 * x, 4)
    expect(groups[0].predicted).toBeCloseTo(4.5, 6)
  })
})

it('a report says what the error is compared with, and what core consistency means', () => {
  const summary = { verdict: { text: 'On the held-out entries the error is 79% below the best baseline.' } }
  const checks = { of: 'held-out', entries: 1053, rmse: 308.4, coreConsistency: -0.2 }
  const sentences = describeTrust(summary as ModelSummary, checks as Validation)
  expect(sentences.slice(0, 2)).toEqual([
    summary.verdict.text,
    'On 1,053 held-out entries the error is 308.4 (RMSE).',
  ])
  expect(sentences[2]).toMatch(/^Core consistency: 0%\. Near 100% the data have the form of the model/)
})
