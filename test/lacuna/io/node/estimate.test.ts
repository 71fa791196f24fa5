import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeNpy, encodeNpz } from '#lacuna/formats.js'
import { synthetic, writeTensor } from '#lacuna/index.js'
import { estimateTensor } from '#lacuna/io/node/estimate.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-estimate-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

const { tensor } = synthetic({ dims: [3000, 2000, 100], entries: 100_000, rank: 2, seed: 1 })

beforeAll(async () => {
  for (const name of ['a.tns', 'a.tns.gz', 'a.npz', 'a.csv']) await writeTensor(at(name), tensor)
})

it('an estimate is close for every format whose head allows one', async () => {
  for (const name of ['a.tns', 'a.tns.gz', 'a.npz', 'a.csv']) {
    const estimate = await estimateTensor(at(name))
    expect(estimate?.order, name).toBe(3)
    expect(estimate!.entries / 100_000, name).toBeGreaterThan(0.9)
    expect(estimate!.entries / 100_000, name).toBeLessThan(1.1)
    expect(estimate!.reading, name).toBeGreaterThan(8 * 90_000)
  }
  const { dims } = (await estimateTensor(at('a.tns')))!
  dims.forEach((dim, mode) => {
    expect(dim).toBeGreaterThan(0.9 * tensor.dims[mode])
    expect(dim).toBeLessThanOrEqual(tensor.dims[mode])
  })
})

it('an estimate is exact where the head is the whole file', async () => {
  writeFileSync(at('few.tns'), '# a comment\n1 2 3 4.5\n2 2 2 1\n\n9 1 1 2\n')
  expect(await estimateTensor(at('few.tns'))).toMatchObject({ entries: 3, order: 3, dims: [9, 2, 3] })
  writeFileSync(at('few.csv'), 'a,b,c,x\n1,2,3,4\n1,2,4,4\n')
  expect(await estimateTensor(at('few.csv'), 2)).toMatchObject({ entries: 2, order: 2 })
})

it('an estimate counts the rows of Parquet if the modes are given', async () => {
  await writeTensor(at('b.parquet'), tensor)
  expect(await estimateTensor(at('b.parquet'), 3)).toMatchObject({ entries: 100_000, order: 3 })
  expect(await estimateTensor(at('b.parquet'))).toBeUndefined()
  writeFileSync(at('broken.parquet'), 'PAR1')
  expect(await estimateTensor(at('broken.parquet'), 3)).toBeUndefined()
})

it('an estimate counts every element of a dense array, stored or packed, by its header', async () => {
  const dense = encodeNpy({ shape: [20, 30, 10], data: new Float32Array(6000) })
  writeFileSync(at('dense.npy'), dense)
  writeFileSync(at('dense.npz'), encodeNpz({ 'x.npy': dense }))
  for (const name of ['dense.npy', 'dense.npz'])
    expect(await estimateTensor(at(name)), name).toMatchObject({ entries: 6000, dims: [20, 30, 10] })
})

it('an estimate reads the head only, even of a file of a terabyte', async () => {
  writeFileSync(at('huge.tns'), '12345 678 90 1.25\n'.repeat(20_000))
  truncateSync(at('huge.tns'), 2 ** 40)
  const start = performance.now()
  const estimate = await estimateTensor(at('huge.tns'))
  expect(performance.now() - start).toBeLessThan(5000)
  expect(estimate!.entries / (2 ** 40 / 18)).toBeCloseTo(1, 1)
})

it('there is no estimate of pipes, damaged files and unknown formats', async () => {
  writeFileSync(at('broken.npz'), 'PK and nothing else')
  writeFileSync(at('broken.npy'), 'no array')
  writeFileSync(at('empty.tns'), '')
  writeFileSync(at('cut.tns.gz'), gzipSync('1 1 1 1\n').subarray(0, 8))
  writeFileSync(at('zero.npy'), encodeNpy({ shape: [0, 3], data: new Float32Array(0) }))
  for (const name of [
    'broken.npz',
    'broken.npy',
    'zero.npy',
    'empty.tns',
    'cut.tns.gz',
    'missing.tns',
    'a.parquet',
  ])
    expect(await estimateTensor(at(name)), name).toBeUndefined()
})
