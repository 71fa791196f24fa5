import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type ModeReshaping,
  refuseGaps,
  reshapeColumns,
  reshapedModes,
  resolveReshaping,
  rowAt,
  unobservedRows,
} from '#lacuna/tensor/reshape.js'
import { checkProperty } from '../../properties.ts'
import { allCoordinates, reshapings } from '../../reshapings.ts'

test('Reshaping maps different cells to different cells, within the sizes', () => {
  checkProperty(
    fc.property(reshapings, ({ dims, reshaping }) => {
      const modes = reshapedModes(resolveReshaping(reshaping, { dims }), dims)
      const cells = allCoordinates(dims)
      const columns = dims.map((_, mode) => Uint32Array.from(cells, (cell) => cell[mode]))
      const reshaped = reshapeColumns(modes, columns)
      const places = cells.map((cell, e) => {
        const rows = modes.digits.map((digits) => rowAt(digits, cell))
        expect(reshaped.map((column) => column[e])).toEqual(rows)
        rows.forEach((row, k) => {
          expect(row).toBeLessThan(modes.dims[k])
        })
        return rows.join()
      })
      expect(new Set(places).size).toBe(cells.length)
    }),
    { seed: 1, numRuns: 100 },
  )
})

test('A merged mode is at the position of its first mode, and a split one becomes block and position', () => {
  const dims = [3, 50, 4]
  const { dims: sizes, digits } = reshapedModes(
    resolveReshaping({ mergeModes: [[2, 0]], split: [{ mode: 1, into: [7, 3], offset: 4 }] }, { dims }),
    dims,
  )
  expect(sizes).toEqual([12, 3, 7, 3])
  // 2·4 + 3; and 20 + 4 = 1 block of 21, no three of them, 3 places further: 1·3 + 0.
  expect(digits.map((parts) => rowAt(parts, [2, 20, 3]))).toEqual([11, 1, 1, 0])
  expect(digits.map((parts) => rowAt(parts, [0, 49, 1]))).toEqual([1, 2, 3, 2])
})

test('Reshaping finds modes by name and number, in any order', () => {
  const dims = [5, 48, 4, 3]
  const modes = ['from', 'hour', 'to', 'kind'].map((name) => ({ name }))
  const fixed = resolveReshaping(
    { mergeModes: [['to', 'from']], split: [{ mode: 'hour', into: 24 }] },
    { dims, modes },
  )
  expect(fixed).toEqual({ mergeModes: [[0, 2]], split: [{ mode: 1, into: [24], offset: 0 }] })
  expect(resolveReshaping({ split: [{ mode: 1, into: [24] }], mergeModes: [[0, 2]] }, { dims })).toEqual(
    fixed,
  )
})

describe('a reshaping that is refused', () => {
  const modes = ['from', 'hour', 'to'].map((name) => ({ name }))
  const labels = [undefined, ['2024-01-01 00:00:00', '2024-01-01 01:00:00', '2024-01-01 03:00:00'], undefined]
  test.each<[string, ModeReshaping, string]>([
    [
      'a number beyond',
      { mergeModes: [[0, 3]] },
      'mergeModes names a mode 4, but there are 3: from, hour, to.',
    ],
    ['an unknown name', { split: [{ mode: 'day', into: 2 }] }, 'split names a mode day, but there are 3'],
    ['a mode alone', { mergeModes: [[1]] }, "mergeModes: '2' names one mode; two or more become one."],
    ['the same twice', { mergeModes: [[0, 0]] }, 'Mode 1 (from) is named twice by mergeModes and split'],
    [
      'merged and split',
      { mergeModes: [[0, 2]], split: [{ mode: 2, into: 2 }] },
      'Mode 3 (to) is named twice',
    ],
    ['all modes', { mergeModes: [[0, 1, 2]] }, 'leaves one mode, and a tensor needs two'],
    [
      'blocks of one',
      { split: [{ mode: 0, into: 1 }] },
      'split has blocks of 1; lengths must be whole numbers from 2.',
    ],
    [
      'one block',
      { split: [{ mode: 2, into: [2, 4] }] },
      "split: '3:2x4': mode 3 (to) has 8 rows, no more than one block of 8",
    ],
    ['a late start', { split: [{ mode: 0, into: 4, offset: 4 }] }, 'from 0 to 3'],
    [
      'gaps in time',
      { split: [{ mode: 1, into: 2 }] },
      '"2024-01-01 03:00:00" comes after "2024-01-01 01:00:00"',
    ],
    ['too many pairs', { mergeModes: [[0, 2]] }, 'a mode of 1000000000 × 8 = 8000000000 rows, more than'],
    ['no list', { mergeModes: 3 as never }, 'mergeModes must be a list of lists of modes.'],
    ['blocks of nothing', { split: [{ mode: 1, into: null }] as never }, 'split has blocks of'],
    ['no blocks', { split: [{ mode: 1 }] as never }, 'split has blocks of ; lengths must be'],
  ])('%s', (name, reshaping, message) => {
    const dims = [name === 'too many pairs' ? 1e9 : 9, 3, 8]
    expect(() => resolveReshaping(reshaping, { dims, modes, labels })).toThrow(message)
  })

  test('A mode of texts, or of evenly spaced numbers, can be split', () => {
    const split = [{ mode: 0, into: 2 }]
    for (const names of [
      ['a', 'b', 'x'],
      ['0.1', '0.2', '0.3'],
      ['2024-02-28', '2024-02-29', '2024-03-01'],
    ])
      expect(resolveReshaping({ split }, { dims: [3, 2], labels: [names, undefined] }).split).toHaveLength(1)
  })

  test('A split must have complete blocks where unlisted cells are zeros', () => {
    const fixed = (offset: number) =>
      resolveReshaping({ split: [{ mode: 1, into: 6, offset }] }, { dims: [2, 12] })
    expect(() => refuseGaps(fixed(0), [2, 12])).not.toThrow()
    expect(() => refuseGaps(fixed(0), [2, 13])).toThrow("missing: 'zero' takes every cell for known")
    expect(() => refuseGaps(fixed(1), [2, 12])).toThrow(
      "split: '2:6+1' makes blocks of which one is not full",
    )
  })
})

test('A row is unobserved if all its pairs are, or its block or its position is', () => {
  const dims = [2, 3, 5]
  const modes = reshapedModes(
    resolveReshaping({ mergeModes: [[0, 1]], split: [{ mode: 2, into: 2 }] }, { dims }),
    dims,
  )
  // Pairs (1, 0), (1, 1), (1, 2) and (0, 2); the second of three blocks.
  const empty = [Uint32Array.of(2, 3, 4, 5), Uint32Array.of(1), new Uint32Array()]
  expect(unobservedRows(modes, empty, dims).map((rows) => [...rows])).toEqual([[1], [2], [2, 3]])
})
