/** The simulated tables of the first screen: a model of the rank that the page chooses predicts hidden cells. */
import { expect, it } from 'vitest'
import { complete, split, tensorFromRecords } from '#lacuna/index.js'
import { examples } from '../../../packages/studio/src/examples/index.ts'
import { concentrations } from '../../../packages/studio/src/examples/kinetics.ts'
import { drawPrint } from '../../../packages/studio/src/examples/print.ts'

/** The most error of a model, relative to that of the mean of all known values. */
const MOST_OF_MEAN: Record<string, number> = { metro: 0.2, films: 0.7, taxis: 0.5, kinetics: 0.1 }

/** The rows of a CSV file, whose cells may be in double quotes. */
const parseCsv = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => [...line.matchAll(/("[^"]*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell]) => cell))

it.each(Object.keys(MOST_OF_MEAN))(
  'a model predicts hidden cells of the example %s better than their mean',
  async (id) => {
    const { load, settings } = examples.find((example) => example.id === id)!
    const [file] = await load()
    const [names, ...rows] = parseCsv(await file.text())
    const modes = names.slice(0, -1)
    const coordinates = rows.map((row) => row.slice(0, -1).join('|'))
    expect(new Set(coordinates).size).toBe(rows.length)
    const records = rows.map((row) => ({
      ...Object.fromEntries(modes.map((name, i) => [name, row[i]])),
      value: Number(row.at(-1)),
    }))
    const tensor = await tensorFromRecords(records, { modes, value: 'value' })
    const { train, test } = split(tensor, { test: 0.15 }, 2)
    const { watch } = await complete(train, { rank: Number(settings.rank), seed: 1, watch: { test: test! } })
    const mean = train.values.reduce((sum: number, x: number) => sum + x, 0) / train.values.length
    const squares = test!.values.reduce((sum: number, x: number) => sum + (x - mean) ** 2, 0)
    const rmseOfMean = Math.sqrt(squares / test!.values.length)
    const ratio = watch!.test.rmse / rmseOfMean
    expect(ratio).toBeLessThan(MOST_OF_MEAN[id])
  },
)

it('the reaction of the example kinetics conserves its matter', () => {
  for (const t of [0, 3, 40, 500]) {
    const amounts = concentrations([1, 0.2, 0.1], t)
    expect(amounts.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1.3, 12)
    expect(Math.min(...amounts)).toBeGreaterThanOrEqual(0)
  }
})

it('the drawn print is opaque, has dark and light tones, and is the same every time', () => {
  const { width, height, data } = drawPrint(150, 100)
  expect(data.length).toBe(4 * width * height)
  const red = Array.from({ length: width * height }, (_, p) => data[4 * p])
  expect([...data].every((value, i) => i % 4 !== 3 || value === 255)).toBe(true)
  expect(Math.max(...red) - Math.min(...red)).toBeGreaterThan(120)
  expect(drawPrint(150, 100).data).toEqual(data)
})
