/// <reference types="vite/client" />
/** The tables of the first screen: a model of the rank that the page chooses predicts hidden cells. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { complete, split, tensorFromRecords } from '#lacuna/index.js'
import { examples } from '../../../packages/studio/src/examples/index.ts'
import {
  cellsOf,
  HIDDEN_READINGS,
  HIDDEN_WEEKS,
  metroTable,
  spectrumTable,
  windTable,
} from '../../../packages/studio/src/examples/measured.ts'

/** The most error of a model, relative to that of the mean of all known values. */
const MOST_OF_MEAN: Record<string, number> = { metro: 0.15, films: 0.7, winds: 0.55, spectra: 0.06 }

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

/** The folder of the measured data, and the bytes that all of it may take with gzip. */
const DATA = new URL('../../../packages/studio/src/examples/data/', import.meta.url)
const MOST_BYTES = 600_000

it('every file of measured data has a source and a licence, and all are small', () => {
  const readme = readFileSync(new URL('README.md', DATA), 'utf8')
  const files = readdirSync(DATA).filter((name) => name !== 'README.md')
  expect(files.length).toBeGreaterThan(0)
  for (const name of files)
    expect(readme).toMatch(
      new RegExp(`^\\| \`${name}\` \\|.*\\| (CC BY 2.0|CC0|MIT|public domain.*) \\|.*\\|$`, 'm'),
    )
  const bytes = files.map((name) => gzipSync(readFileSync(new URL(name, DATA))).length)
  expect(bytes.reduce((sum, x) => sum + x, 0)).toBeLessThan(MOST_BYTES)
})

it('the examples contain measured values only, and hide what they say', async () => {
  const file = (name: string) => cellsOf(readFileSync(new URL(name, DATA), 'utf8'))
  const rides = new Map(
    file('chicago.csv').map(({ row, column, value }) => [`${column} ${row}`, Number(value)]),
  )
  const [, ...metro] = parseCsv(await metroTable())
  for (const [station, monday, weekday, value] of metro) {
    const day = Date.parse(monday) + (Number(weekday[0]) - 1) * 86_400_000
    expect(rides.get(`${station} ${new Date(day).toISOString().slice(0, 10)}`)).toBe(Number(value))
  }
  expect(metro.length / rides.size).toBeCloseTo(1 - HIDDEN_WEEKS, 1)
  const readings = new Set(
    file('meats.csv').map(({ row, column, value }) => `${Number(row)} ${column} ${value}`),
  )
  const [, ...spectra] = parseCsv(await spectrumTable())
  for (const [sample, nm, value] of spectra)
    expect(readings.has(`${Number(sample.slice('sample '.length))} ${nm} ${value}`)).toBe(true)
  expect(spectra.length / file('meats.csv').length).toBeCloseTo(1 - HIDDEN_READINGS, 1)
  expect(parseCsv(await windTable()).length - 1).toBe(file('winds.csv').length)
})
