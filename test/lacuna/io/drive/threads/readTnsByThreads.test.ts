import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PARALLEL_FROM, type ReadingPool, startReading } from '#lacuna/io/drive/threads/pool.js'
import { readTnsByThreads } from '#lacuna/io/drive/threads/readTns.js'
import { readTensor } from '#lacuna/io/node/index.js'
import { type ReadTnsOptions, readTns } from '#lacuna/io/tns/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { checkProperty } from '../../../../properties.ts'
import { bits, pieces } from '../../pieces.ts'
import { tnsBytes, tnsText } from '../../tnsTexts.ts'

let folder: string
let pool: ReadingPool
let path: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-threads-'))
  path = join(folder, 'a.tns')
  pool = startReading(3)
})
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true })
})

type Outcome = { tensor: object } | { code: string; message: string } | undefined

/** All that can be told of a tensor, or what was said instead. */
async function outcome(reading: Promise<SparseTensor | undefined>): Promise<Outcome> {
  try {
    const tensor = await reading
    if (!tensor) return undefined
    const { indices, values, ...names } = tensor
    return { tensor: { ...names, indices: indices.map((column) => [...column]), values: bits(values) } }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'InputError') throw error
    return { code: (error as Error & { code: string }).code, message: error.message }
  }
}

const bytesOf = (column: Uint32Array | Float32Array): Uint8Array =>
  new Uint8Array(column.buffer, column.byteOffset, column.byteLength)

const byOne = (content: string | Uint8Array, options: Partial<ReadTnsOptions> = {}) =>
  outcome(readTns(pieces(content), { name: 'a.tns', ...options }))

function byThreads(content: string | Uint8Array, blockBytes: number, options: Partial<ReadTnsOptions> = {}) {
  writeFileSync(path, content)
  const shared = { ...pool, close: async () => {} }
  return outcome(readTnsByThreads(path, { name: 'a.tns', blockBytes, ...options }, () => shared))
}

const blockBytes = fc.integer({ min: 16, max: 300 })
const lenient = [
  { negative: 'keep', duplicates: 'last' },
  { negative: 'clip', duplicates: 'sum' },
] as const
const policies = fc.constantFrom<Partial<ReadTnsOptions>>({}, ...lenient, { dims: [50, 50] })

describe('a .tns file by threads is what it is by one', () => {
  test('threads read good .tns files as one thread does, wherever blocks are cut', async () => {
    let tensors = 0
    await checkProperty(
      fc.asyncProperty(tnsText(0), blockBytes, policies, async (content, bytes, options) => {
        const found = await byThreads(content, bytes, options)
        expect(found).toEqual(await byOne(content, options))
        if (found && 'tensor' in found) tensors++
      }),
      { seed: 1, numRuns: 150 },
    )
    expect(tensors).toBeGreaterThan(50)
  })

  test('threads report faults of .tns files with the same sentence and line as one thread', async () => {
    let refused = 0
    await checkProperty(
      fc.asyncProperty(tnsText(1), blockBytes, async (content, bytes) => {
        const options = { negative: 'keep', duplicates: 'last' } as const
        const found = await byThreads(content, bytes, options)
        expect(found).toEqual(await byOne(content, options))
        if (found && 'message' in found) refused++
      }),
      { seed: 2, numRuns: 150 },
    )
    expect(refused).toBeGreaterThan(50)
  })

  test('threads read any bytes as .tns like one thread', async () => {
    await checkProperty(
      fc.asyncProperty(tnsBytes, blockBytes, async (content, size) => {
        expect(await byThreads(content, size)).toEqual(await byOne(content))
      }),
      { seed: 3, numRuns: 150 },
    )
  })

  test('threads read .tns lines that are longer than blocks, up to the longest allowed', async () => {
    for (const length of [2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1])
      for (const line of [`2 2 1.${'0'.repeat(length - 7)}`, `#${'x'.repeat(length - 2)}`]) {
        const content = `1 1 1\n${line}\n3 3 3\n`
        // As files are read: a megabyte at a time.
        const one = await outcome(readTns(pieces(content, [2 ** 20]), { name: 'a.tns' }))
        expect(await byThreads(content, 50_000)).toEqual(one)
        expect(one).toHaveProperty(length > 2 ** 20 ? 'message' : 'tensor')
      }
  })

  test('threads leave a .tns file with endless blanks to the parser of one thread', async () => {
    const content = `1 1 1\n${' '.repeat(3000)}\n${' '.repeat(3000)}2 2 2\n`
    expect(await byThreads(content, 100)).toBeUndefined()
    expect(await byOne(content)).toHaveProperty('tensor')
  })

  test('threads report the first of several faults of a .tns file, whichever thread finds it', async () => {
    const lines = Array.from({ length: 20_000 }, (_, l) =>
      l % 100 === 99 && l > 9000 ? 'x' : `${l + 1} 1 1`,
    )
    const content = lines.join('\n')
    for (const bytes of [64, 512, 4096])
      expect(await byThreads(content, bytes)).toEqual({
        code: 'format',
        message:
          'a.tns, line 9100: 1 column where the first entry has 3; give 2 indices and a value on every line.',
      })
  })

  test('threads count the lines of .tns entries among comments', async () => {
    const lines = Array.from({ length: 300 }, (_, l) => (l % 3 === 1 || l > 200 ? '# c' : `${l + 1} 1 1`))
    for (const at of [2, 99, 150]) {
      const content = lines.with(at, '7 7 -1').join('\n')
      expect(await byThreads(content, 64)).toEqual(await byOne(content))
      expect(await byThreads(content, 64)).toHaveProperty(
        'message',
        expect.stringContaining(`line ${at + 1}: the value -1`),
      )
    }
  })

  test('threads ignore a comment like the header behind the first .tns entry', async () => {
    const content = `1 1 1\n${'2 2 2\n'.repeat(20)}# lacuna {broken\n3 3 x\n`
    for (const bytes of [18, 21, 63, 64, 126])
      expect(await byThreads(content, bytes)).toHaveProperty(
        'message',
        expect.stringContaining('line 23: the value "x"'),
      )
  })

  test('readTensor reads a large .tns file by threads', async () => {
    // Numbers with many digits, so that it takes few of them.
    const line = (e: number): string =>
      `${String(e + 1).padStart(40, '0')} ${String((e % 9) + 1).padStart(40, '0')} 1.5\n`
    writeFileSync(path, Array.from({ length: 200_000 }, (_, e) => line(e)).join(''))
    expect(statSync(path).size).toBeGreaterThan(PARALLEL_FROM)
    const told: number[] = []
    const onProgress = (bytes: number): unknown => told.push(bytes)
    const byTwo = await readTensor(path, { threads: 2, dims: [200_000, 9], onProgress })
    const byOne = await readTensor(path, { threads: 1, dims: [200_000, 9] })
    expect(
      byTwo.indices.map((column, m) => Buffer.compare(bytesOf(column), bytesOf(byOne.indices[m]))),
    ).toEqual([0, 0])
    expect(Buffer.compare(bytesOf(byTwo.values), bytesOf(byOne.values))).toBe(0)
    expect(byTwo.values.length).toBe(200_000)
    expect(Math.max(...told)).toBeLessThanOrEqual(statSync(path).size)
  })

  test('threads find duplicates among very many .tns entries, and none where there are none', async () => {
    const n = 100_000
    const lines = Array.from({ length: n }, (_, e) => `${(e % 317) + 1} ${Math.floor(e / 317) + 1} ${e}`)
    const distinct = lines.join('\n')
    expect(await byThreads(distinct, 4096)).toEqual(await byOne(distinct))
    const repeated = [...lines.slice(0, 70_000), lines[12_345], ...lines.slice(70_000)].join('\n')
    expect(await byThreads(repeated, 4096)).toEqual({
      code: 'duplicate',
      message:
        "a.tns, line 70001: coordinates (300, 39) were already given by a.tns, line 12346; say how to merge duplicates with duplicates: 'sum', 'mean' or 'last'.",
    })
    const negative = [...lines.slice(0, 70_000), '1 400 -1', ...lines.slice(70_000)].join('\n')
    expect(await byThreads(negative, 4096)).toEqual(await byOne(negative))
    const beyond = { dims: [317, 316] }
    expect(await byThreads(distinct, 4096, beyond)).toEqual(await byOne(distinct, beyond))
    const merged = { duplicates: 'last' } as const
    expect(await byThreads(repeated, 4096, merged)).toEqual(await byOne(repeated, merged))
  })
})
