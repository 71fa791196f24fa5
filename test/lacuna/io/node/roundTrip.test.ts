import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { readTable, readTensor, writeTensor } from '#lacuna/io/node/index.js'
import { columnNames } from '#lacuna/io/table/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { checkProperty } from '../../../properties.ts'
import { byLabels, labelledTensor } from '../labelled.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-round-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ARRAYS = ['tns', 'tns.gz', 'npz']
const TABLES = ['csv', 'csv.gz', 'tsv', 'json', 'ndjson', 'parquet']

let files = 0
/** The tensor as a file and back. A table must be told which of its columns are indices. */
async function through(tensor: SparseTensor, format: string): Promise<SparseTensor> {
  const path = join(folder, `${files++}.${format}`)
  await writeTensor(path, tensor)
  if (!TABLES.includes(format)) return readTensor(path)
  const names = columnNames(tensor)
  const modes = tensor.dims.map((_, mode) => `${tensor.labels?.[mode] ? 'coded' : 'raw'}:${names[mode]}`)
  return readTable(path, { modes, value: names[tensor.dims.length] })
}

describe('a tensor comes back from', () => {
  test.each(ARRAYS)('a tensor comes back from .%s with its sizes, names, labels and bits', async (format) => {
    await checkProperty(
      fc.asyncProperty(labelledTensor(), fc.boolean(), async (tensor, named) => {
        const given = named
          ? {
              ...tensor,
              modes: tensor.dims.map((_, m) => ({ name: `m"${m}`, type: 'DATE' })),
              valueName: 'x, y',
            }
          : tensor
        const back = await through(given, format)
        expect(byLabels(back)).toEqual(byLabels(given))
        expect(back.dims).toEqual(given.dims)
        expect(back.labels).toEqual(given.labels)
        expect(back.modes).toEqual(given.modes)
        expect(back.valueName).toEqual(given.valueName)
      }),
      { seed: 1, numRuns: 40 },
    )
  })

  test('a tensor comes back from .npy with its sizes and bits', async () => {
    await checkProperty(
      fc.asyncProperty(labelledTensor(), async ({ labels: _, ...tensor }) => {
        const back = await through(tensor, 'npy')
        expect(byLabels(back)).toEqual(byLabels(tensor))
        expect(back.dims).toEqual(tensor.dims)
      }),
      { seed: 1, numRuns: 40 },
    )
  })

  test.each(TABLES)(
    'a tensor comes back from .%s with the labels and bits of its entries',
    async (format) => {
      await checkProperty(
        fc.asyncProperty(labelledTensor({ named: true }), async (tensor) => {
          const back = await through(tensor, format)
          expect(byLabels(back)).toEqual(byLabels(tensor))
          expect(back.modes?.map(({ name }) => name)).toEqual(tensor.modes?.map(({ name }) => name))
        }),
        { seed: 1, numRuns: format === 'csv' ? 10 : 4, endOnFailure: true },
      )
    },
  )
})

test('a tensor converted from every format to every other and back has the same labels and bits', async () => {
  const tensors = fc.sample(labelledTensor({ named: true, unlabelled: false }), { seed: 7, numRuns: 50 })
  const tensor = tensors.reduce((a, b) => (b.values.length > a.values.length ? b : a))
  const expected = byLabels(tensor)
  let current = await through(tensor, 'tns')
  for (const format of everyStep(['tns', 'npz', 'csv', 'json', 'parquet'])) {
    current = await through(current, format)
    expect(byLabels(current), format).toEqual(expected)
  }
  expect(current.labels?.map((labels) => labels?.length)).toEqual(
    tensor.indices.map((column) => new Set(column).size),
  )
})

/** A walk that takes the step from each format to each other: there and back for every pair. */
function everyStep(formats: readonly string[]): string[] {
  return formats
    .flatMap((from, i) => formats.slice(i + 1).flatMap((to) => [from, to, from]))
    .filter((format, at, walk) => format !== walk[at - 1])
}
