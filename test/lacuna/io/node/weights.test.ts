/** Weights of the user's own: from tables and records, through files and back. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readTable, readTensor, writeTensor } from '#lacuna/io/node/index.js'
import { tensorFromRecords } from '#lacuna/io/table/index.js'
import { complete } from '#lacuna/solver/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-weights-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

const rows = [
  { user: 'b', film: 'z', stars: 4, n: 3 },
  { user: 'a', film: 'x', stars: 5, n: 2 },
  { user: 'b', film: 'x', stars: 4, n: 0 },
  { user: 'a', film: 'y', stars: 3, n: 0.1 },
  { user: 'a', film: 'z', stars: 1, n: null },
]
const options = { modes: ['user', 'film'], value: 'stars', weight: 'n' }

/** By label: value and weight. */
const entriesOf = ({ indices, values, weights, labels }: SparseTensor): unknown =>
  Object.fromEntries(
    [...values.keys()].map((e) => [
      indices.map((column, mode) => labels?.[mode]?.[column[e]]).join(),
      [values[e], weights?.[e]],
    ]),
  )
const expected = { 'b,z': [4, 3], 'a,x': [5, 2], 'a,y': [3, Math.fround(0.1)] }

describe('a column of weights', () => {
  it('weights are read with their rows; an empty one or 0 leaves the row out, which is reported', async () => {
    const said: string[] = []
    const tensor = await tensorFromRecords(rows, { ...options, onRemark: ({ text }) => said.push(text) })
    expect(entriesOf(tensor)).toEqual(expected)
    expect(said).toEqual([
      'The rows: one row is left out, since a mode, the value or the weight is empty',
      'The rows: one row is left out, since the weight n is 0',
    ])
  })

  it('a column of weights is not guessed as a mode or value, and not melted', async () => {
    const csv = ['user,film,rating,count', 'a,x,5,2', 'b,x,4,1', 'b,y,3,7']
    writeFileSync(at('guess.csv'), csv.join('\n'))
    const guessed = await readTable(at('guess.csv'), { weight: 'count' })
    expect([guessed.dims, guessed.valueName, [...guessed.weights!]]).toEqual([[2, 2], 'rating', [2, 1, 7]])
    writeFileSync(at('wide.csv'), 'station,w,d1,d2\ns,2,5,6\nt,3,7,8\n')
    const wide = await readTable(at('wide.csv'), { modes: ['station'], melt: 'day', weight: 'w' })
    expect([wide.dims, [...wide.values], [...wide.weights!]]).toEqual([
      [2, 2],
      [5, 6, 7, 8],
      [2, 2, 3, 3],
    ])
  })

  it.each([
    [
      'a negative one',
      { ...options },
      'row 6, at user = c, film = x: the weight is -1; weights must be finite',
    ],
    ['no such column', { ...options, weight: 'm' }, 'there is no column "m"'],
    [
      'counts',
      { modes: ['user', 'film'], weight: 'n' },
      'rows that are counted or added up have no one weight',
    ],
    ['sums', { ...options, merge: 'sum' as const }, 'rows that are counted or added up have no one weight'],
  ])('a column of weights is refused: %s', async (_, asked, message) => {
    const more = [...rows, { user: 'c', film: 'x', stars: 1, n: -1 }]
    await expect(tensorFromRecords(more, asked)).rejects.toThrow(message)
  })

  it('a weight may be SQL, and counts in the mean of rows that are merged', async () => {
    writeFileSync(at('twice.csv'), 'a,b,x,n\np,q,1,1\np,q,4,2\np,r,5,1\n')
    const merged = await readTable(at('twice.csv'), {
      modes: ['a', 'b'],
      value: 'x',
      weight: 'n * 2',
      merge: 'mean',
    })
    expect([[...merged.values], [...merged.weights!]]).toEqual([
      [3, 5],
      [6, 2],
    ])
  })
})

it.each(['npz', 'csv', 'ndjson', 'parquet'])('weights come back from .%s', async (format) => {
  const path = at(`file.${format}`)
  await writeTensor(path, await tensorFromRecords(rows, options))
  const named = { modes: ['user', 'film'], value: 'stars', weight: 'weight' }
  const back = format === 'npz' ? await readTensor(path) : await readTable(path, named)
  expect(entriesOf(back)).toEqual(expected)
})

it('the training error of the solver counts the weights of a table', async () => {
  const tensor = await tensorFromRecords(rows, options)
  const { train } = await complete(tensor, {
    rank: 1,
    epochs: 1,
    initial: [new Float32Array(2), new Float32Array(3)],
  })
  const [five, four, three] = [2 * 5 ** 2, 3 * 4 ** 2, 0.1 * 3 ** 2]
  expect([train.entries, train.relative]).toEqual([3, 1])
  expect(train.rmse).toBeCloseTo(Math.sqrt((five + four + three) / 5.1), 5)
})
