import fc from 'fast-check'
import { expect, it } from 'vitest'
import { coordinateTable } from '#lacuna/tensor/order/coordinateTable.js'
import { checkProperty } from '../../../properties.ts'

it('coordinateTable finds the first entry with the same coordinates, like a Map', () => {
  const wide = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
  checkProperty(
    fc.property(fc.array(fc.tuple(wide, wide, wide), { maxLength: 200 }), (cells) => {
      const columns = [0, 1, 2].map((mode) => Uint32Array.from(cells, (cell) => cell[mode]))
      const table = coordinateTable(columns, cells.length)
      const first = new Map<string, number>()
      cells.forEach((cell, entry) => {
        if (!first.has(cell.join())) first.set(cell.join(), entry)
        expect(table.add(entry)).toBe(first.get(cell.join()))
      })
    }),
    { seed: 1, numRuns: 200 },
  )
})

it('coordinateTable does not add an entry that it finds, so that its number may be used again', () => {
  const column = Uint32Array.of(5, 5, 6)
  const table = coordinateTable([column], 3)
  expect([table.add(0), table.add(1)]).toEqual([0, 0])
  column[1] = 7
  expect([table.add(1), table.add(2)]).toEqual([1, 2])
})
