import { expect, it } from 'vitest'
import { RowOrder } from '#lacuna/io/node/absentRows/rowOrder.js'

/** The cells in the order that is found for rows; undefined if there is none. */
function sorted(rows: readonly number[][], cells: readonly number[][]): string | undefined {
  const order = new RowOrder([4, 3])
  order.note(
    rows.length,
    [0, 1].map((mode) => rows.map((row) => row[mode])),
  )
  const { key } = order
  return key && [...cells].sort((a, b) => key(a) - key(b)).join(' ')
}

const cells = [0, 1, 2, 3].flatMap((time) => [0, 1, 2].map((sensor) => [time, sensor]))
const without = (...left: string[]): number[][] => cells.filter((cell) => !left.includes(cell.join()))
const all = (rows: readonly number[][]): string => rows.join(' ')

it('rows that a table lacks have a position by its order: by time, by sensor, descending, or as labels appear', () => {
  expect(sorted(without('1,1', '2,0'), cells)).toBe(all(cells))
  const bySensor = [0, 1, 2].flatMap((sensor) => [0, 1, 2, 3].map((time) => [time, sensor]))
  expect(
    sorted(
      bySensor.filter((_, n) => n !== 5),
      cells,
    ),
  ).toBe(all(bySensor))
  const newestFirst = [3, 2, 1, 0].flatMap((time) => [0, 1, 2].map((sensor) => [time, sensor]))
  expect(
    sorted(
      newestFirst.filter((_, n) => n !== 4),
      cells,
    ),
  ).toBe(all(newestFirst))
  const grouped = [2, 0, 1].flatMap((sensor) => [0, 1, 2, 3].map((time) => [time, sensor]))
  expect(
    sorted(
      grouped.filter((_, n) => n !== 6),
      cells,
    ),
  ).toBe(all(grouped))
})

it('rows in order by one mode alone keep that one, and rows in no order have none', () => {
  const shuffled = cells.map(([time, sensor]) => [time, (sensor + time) % 3])
  expect(
    sorted(shuffled, [
      [2, 0],
      [0, 2],
      [1, 1],
    ]),
  ).toBe('0,2 1,1 2,0')
  expect(
    sorted(
      [
        [0, 0],
        [3, 2],
        [1, 1],
        [2, 0],
        [0, 1],
      ],
      cells,
    ),
  ).toBeUndefined()
  expect(
    sorted(
      [
        [-1, 0],
        [1, 1],
        [2, -1],
      ],
      [[1, 1]],
    ),
  ).toBe('1,1')
})
