import { expect, it } from 'vitest'
import { below, hashIndex, mix } from '#lacuna/base/random.js'
import { orderKeys, positionOf, sortRecords } from '#lacuna/engine/cpu/setup/place/order.js'
import { packingOf } from '#lacuna/engine/cpu/setup/place/packing.js'
import { hashCoordinates } from '#lacuna/tensor/order/coordinateOrder.js'
import { chiSquare } from '../../../chiSquare.ts'
import { randomTensor } from '../../../problems.ts'

it('All orders of a row’s entries are equally likely over seeds', () => {
  // One row of four entries: which of the 24 orders, over many seeds?
  const records = Uint32Array.of(0, 5, 1, 6, 2, 7, 3, 8)
  const packing = packingOf([10, 2 ** 32], 0)
  const orders = new Map<string, number>()
  for (let seed = 0; seed < 4800; seed++) {
    const sorted = sortRecords(
      records,
      { packing, words: 2, mode: 0, row: 9, segments: 1 },
      orderKeys(seed, 2),
    )
    for (const at of [0, 2, 4, 6]) expect(sorted[at + 1]).toBe(sorted[at] + 5) // records stay whole
    const order = [0, 2, 4, 6].map((at) => sorted[at]).join('')
    orders.set(order, (orders.get(order) ?? 0) + 1)
  }
  expect(orders.size).toBe(24)
  expect(chiSquare([...orders.values()])).toBeLessThan(4)
})

it('The order of a row does not depend on that of the input, and differs between modes', () => {
  const records = Uint32Array.from({ length: 200 }, (_, word) => (word % 2 === 0 ? word / 2 : 1000 + word))
  const reversed = Uint32Array.from(records, (_, at) => records[2 * (99 - (at >> 1)) + (at & 1)])
  const keys = orderKeys(3, 2)
  const at = { packing: packingOf([10, 2 ** 32], 0), words: 2, row: 4, segments: 1 }
  expect(sortRecords(reversed, { ...at, mode: 0 }, keys)).toEqual(
    sortRecords(records, { ...at, mode: 0 }, keys),
  )
  expect(sortRecords(records, { ...at, mode: 1 }, keys)).not.toEqual(
    sortRecords(records, { ...at, mode: 0 }, keys),
  )
})

it('Coordinates alone divide a long row into segments of about equal size', () => {
  const { indices, values } = randomTensor({ dims: [2, 300, 200], entries: 40_000, seed: 2 })
  const keys = orderKeys(1, 3)
  const hashes = new Uint32Array(4096)
  const counts = new Array<number>(20).fill(0)
  for (let from = 0; from < values.length; from += 4096) {
    const to = Math.min(from + 4096, values.length)
    hashCoordinates(indices, from, to, keys.hash, hashes)
    for (let e = from; e < to; e++) {
      const one = indices.reduce((hash, column) => hashIndex(hash, column[e]), keys.hash)
      expect(hashes[e - from]).toBe(mix(one))
      counts[below(positionOf(hashes[e - from], keys.modes[0]), 20)]++
    }
  }
  expect(chiSquare(counts)).toBeLessThan(4)
})
