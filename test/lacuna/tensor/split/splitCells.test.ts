import { expect, it } from 'vitest'
import { type SparseTensor, splitCells, synthetic } from '#lacuna/tensor/index.js'
import { refusal } from '../../../refusal.ts'

const { tensor } = synthetic({ dims: [20, 15, 10], rank: 2, entries: 300, seed: 3 })

/** The coordinates of each entry, as text. */
const cellsOf = ({ indices, values }: SparseTensor): string[] =>
  [...values.keys()].map((e) => indices.map((column) => column[e]).join())

it('splitCells holds out cells, listed or not, and leaves the other entries for training', () => {
  const { train, validation, test } = splitCells(tensor, { validation: 0.02, test: 0.08 }, 1)
  expect([validation, test].map(({ values }) => values.length)).toEqual([60, 240])
  const known = new Map(cellsOf(tensor).map((place, e) => [place, tensor.values[e]]))
  const held = [...cellsOf(validation), ...cellsOf(test)]
  expect(new Set(held).size).toBe(300)
  for (const part of [validation, test])
    for (const [e, place] of cellsOf(part).entries()) expect(part.values[e]).toBe(known.get(place) ?? 0)
  const listed = held.filter((place) => known.has(place))
  // A tenth of the cells: about a tenth of the entries.
  expect(listed.length).toBeGreaterThan(10)
  expect(listed.length).toBeLessThan(60)
  expect(cellsOf(train)).toEqual(cellsOf(tensor).filter((place) => !held.includes(place)))
})

it('splitCells holds out no more cells than there are entries', () => {
  expect(splitCells(tensor, { test: 0.5 }, 1).test.values.length).toBe(300)
})

it('splitCells draws other cells than those of a synthetic tensor with the same seed', () => {
  const { test } = splitCells(tensor, { test: 0.1 }, 3)
  expect(test.values.filter((x) => x > 0).length).toBeLessThan(60)
})

it('splitCells refuses impossible fractions, and a split without training entries', () => {
  expect(() => splitCells(tensor, { test: 1 }, 1)).toThrow(
    refusal('A held-out share is 1; it must lie in [0, 1).'),
  )
  const one = { dims: [1, 2], indices: [Uint32Array.of(0), Uint32Array.of(0)], values: Float32Array.of(1) }
  const splits = Array.from({ length: 20 }, (_, seed) => () => splitCells(one, { test: 0.5 }, seed))
  expect(splits.some((split) => fails(split, 'leaves no entry to learn from'))).toBe(true)
})

/** Whether work throws an error with this text in its message. */
function fails(work: () => unknown, message: string): boolean {
  try {
    work()
    return false
  } catch (error) {
    return String(error).includes(message)
  }
}
