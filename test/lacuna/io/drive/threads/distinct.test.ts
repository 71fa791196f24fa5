import { once } from 'node:events'
import { syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { areDistinct, areDistinctBy } from '#lacuna/io/drive/threads/distinct.js'
import { type ReadingPool, startReading } from '#lacuna/io/drive/threads/pool.js'
import { findDuplicates } from '#lacuna/tensor/duplicates/findDuplicates.js'
import { checkProperty } from '../../../../properties.ts'

let pool: ReadingPool
beforeAll(() => {
  pool = startReading(3)
})
afterAll(() => pool.close())

const shared = (column: Iterable<number>): Uint32Array => {
  const numbers = Uint32Array.from(column)
  const copy = new Uint32Array(new SharedArrayBuffer(4 * numbers.length))
  copy.set(numbers)
  return copy
}

describe('threads that look for the same coordinates', () => {
  test('threads find equal coordinates exactly where one thread does', async () => {
    const seen = { true: 0, false: 0 }
    const entries = fc
      .tuple(fc.constantFrom(3, 1000, 2 ** 32 - 1), fc.integer({ min: 2, max: 5 }))
      .chain(([most, order]) =>
        fc.array(fc.array(fc.nat(most), { minLength: order, maxLength: order }), {
          minLength: 1,
          maxLength: 40,
        }),
      )
    await checkProperty(
      fc.asyncProperty(entries, async (rows) => {
        const indices = rows[0].map((_, mode) => shared(rows.map((row) => row[mode])))
        const isDistinct = findDuplicates(indices, rows.length) === undefined
        expect(await areDistinct(pool, indices, 0)).toBe(isDistinct)
        seen[`${isDistinct}`]++
      }),
      { seed: 1, numRuns: 150 },
    )
    expect(Math.min(seen.true, seen.false)).toBeGreaterThan(10)
  })

  test('threads find equal coordinates among very many entries: one pair, and as many as there can be', async () => {
    const n = 200_000
    const place = (e: number): number => (e * 48_271) % 2_147_483_647
    const indices = [
      shared(Array.from({ length: n }, (_, e) => place(e) % 1009)),
      shared(Array.from({ length: n }, (_, e) => e)),
    ]
    expect(await areDistinct(pool, indices, 0)).toBe(true)
    indices.forEach((column) => {
      column[n - 1] = column[77]
    })
    expect(await areDistinct(pool, indices, 0)).toBe(false)
    expect(
      await areDistinct(
        pool,
        indices.map((column) => column.fill(7)),
        0,
      ),
    ).toBe(false)
  })

  test('threads do not examine the coordinates of few entries', async () => {
    expect(await areDistinct(pool, [shared([1, 2]), shared([1, 2])])).toBeUndefined()
  })
})

describe('threads of which the system has too few', () => {
  const { Worker } = threads
  const ends: Promise<unknown>[] = []
  const install = (worker: typeof Worker): void => {
    threads.Worker = worker
    syncBuiltinESMExports()
  }
  beforeAll(() => {
    let started = 0
    install(
      class extends Worker {
        constructor(...given: ConstructorParameters<typeof Worker>) {
          if (++started % 3 === 0) throw new Error('no thread left')
          super(...given)
          ends.push(once(this, 'exit'))
        }
      },
    )
  })
  afterAll(() => install(Worker))

  test('threads that could be started are ended if others cannot, and the coordinates are not examined', async () => {
    expect(() => startReading(3)).toThrow('no thread left')
    expect(await areDistinctBy(3, [shared(new Uint32Array(2 ** 20))])).toBeUndefined()
    expect(ends).toHaveLength(4)
    await Promise.all(ends)
  })
})
