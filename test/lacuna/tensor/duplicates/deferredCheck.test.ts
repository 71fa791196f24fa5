/**
 * Duplicate checks that reading defers: whatever is done with the entries, they are refused in the words of
 * the reader.
 */
import { expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { readRows, textTable } from '#lacuna/io/table/index.js'
import { readTns } from '#lacuna/io/tns/index.js'
import { complete } from '#lacuna/solver/index.js'
import { pickEntries, type SparseTensor, split, splitByTime, splitCells } from '#lacuna/tensor/index.js'
import { randomTensor } from '../../../problems.ts'

const { indices, values } = randomTensor({ dims: [40, 30, 20], entries: 3000, seed: 7 })
const lines = Array.from(values, (x, e) => `${indices.map((column) => column[e] + 1).join(' ')} ${x}`)

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

const read = (all: readonly string[], deferDuplicateCheck: boolean) =>
  readTns(pieces(all.join('\n')), {
    name: 'a.tns',
    dims: [40, 30, 20],
    negative: 'keep',
    deferDuplicateCheck,
  })

const cell = lines[100].split(' ').slice(0, 3).join(' ')

it.each([
  ['one entry given twice', [...lines, `${cell} 0.5`]],
  ['given again with the same value', [...lines.slice(0, 2000), lines[100], ...lines.slice(2000)]],
  ['given again and again, more than a segment has room for', [...lines, ...Array(700).fill(`${cell} 1`)]],
  ['two of them, of which the first in the file is told', [...lines, lines[7], lines[3]]],
])('The engine refuses duplicates of a deferred check in the words of the reader: %s', async (_, all) => {
  const failure = await read(all, false).catch((error) => error)
  expect(failure.message).toMatch(/a.tns, line \d+: coordinates .* were already given by a.tns, line \d+/)
  const tensor = await read(all, true)
  for (const options of [{ threads: 1 }, { threads: 3, parts: 2 }]) {
    const engine = cpuEngine(options)
    // Given other sizes, as by a held-out file, they are the same entries.
    const given = { ...tensor, dims: [41, 30, 20] }
    await expect(complete(given, { rank: 2, epochs: 1, engine })).rejects.toThrow(failure.message)
    await engine.close()
  }
})

it('The engine refuses duplicate rows of a table in the words of the reader, unless they are merged', async () => {
  const rows = Array.from(
    values,
    (x, e) => `${indices.map((column) => column[e] + 1).join(',')},${Math.abs(x)}`,
  )
  const content = ['a,b,c,x', ...rows, rows[100], rows[3]].join('\n')
  const table = await textTable([{ name: 'a.csv', open: () => pieces(content) }])
  const read = (deferDuplicateCheck: boolean, merge?: 'mean') =>
    readRows(table, { modes: ['a', 'b', 'c'], value: 'x', deferDuplicateCheck, ...(merge && { merge }) })
  const failure = await read(false).catch((error) => error)
  expect(failure.message).toMatch(
    new RegExp(`^a.csv, line ${values.length + 2}, at a = .* in all 2 rows repeat`),
  )
  await expect(complete(await read(true), { rank: 2, epochs: 1, threads: 2 })).rejects.toThrow(
    failure.message,
  )
  expect((await read(true, 'mean')).values.length).toBe(values.length)
})

it('A deferred check finds nothing to refuse where coordinates differ', async () => {
  const { epochs } = await complete(await read(lines, true), { rank: 2, epochs: 1, threads: 2 })
  expect(epochs.length).toBeGreaterThan(0)
})

it.each([
  ['split', (tensor: SparseTensor) => split(tensor, { test: 0.1 }, 1).train],
  ['splitByTime', (tensor: SparseTensor) => splitByTime(tensor, { test: 0.1 }).train],
  ['splitCells', (tensor: SparseTensor) => splitCells(tensor, { test: 0.1 }, 1).train],
  ['pickEntries', (tensor: SparseTensor) => pickEntries(tensor, Uint32Array.from(tensor.values.keys()))],
  ['an object spread', (tensor: SparseTensor) => ({ ...tensor, values: tensor.values.slice() })],
])('Duplicates of a deferred check are not trained on after %s', async (_, transform) => {
  const all = [...lines, ...Array(3).fill(`${cell} 0.5`)]
  const failure = await read(all, false).catch((error) => error)
  const tensor = await read(all, true)
  const train = async (): Promise<unknown> => complete(transform(tensor), { rank: 2, epochs: 1, threads: 2 })
  await expect(train()).rejects.toThrow(failure.message)
})
