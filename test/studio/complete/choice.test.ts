/** The choice of roles as data, and the map of missing cells, without a browser. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sparseTensor } from '#lacuna/tensor/index.js'
import { type CompleteState, canStart } from '../../../packages/studio/src/complete/state/state.ts'
import {
  binningsOf,
  possibleBinnings,
  type Role,
  roleOf,
  setBinnings,
  setRole,
  type TableChoice,
} from '../../../packages/studio/src/complete/understanding/index.ts'
import { mapGaps } from '../../../packages/studio/src/complete/worker/gapMap.ts'

const columns = [
  { name: 'shop', type: 'VARCHAR' as const },
  { name: 'a (b, 2)', type: 'DOUBLE' as const },
  { name: 'when', type: 'TIMESTAMP' as const },
  { name: 'Lat', type: 'DOUBLE' as const },
  { name: 'Lon', type: 'DOUBLE' as const },
  { name: 'sales', type: 'BIGINT' as const },
].map((column) => ({ ...column, examples: [], numbersRows: false, hasRepeats: true }))

const guessed: TableChoice = {
  ...{ modes: ['shop', 'day(when)', 'place'], value: 'sales', merge: 'error' },
  place: { latitude: 'Lat', longitude: 'Lon', decimals: 2 },
}

describe('the roles of columns', () => {
  it('whatever is chosen, a column has the role that it was given last, and there is one value and one weight', () => {
    const step = fc.record({
      column: fc.constantFrom(...columns),
      role: fc.constantFrom<Role>('mode', 'value', 'weight', 'ignored'),
      binning: fc.nat(),
    })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        let choice = guessed
        for (const { column, role, binning } of steps) {
          choice = setRole(choice, columns, column.name, role)
          expect(roleOf(choice, column.name)).toBe(role)
          if (role !== 'mode') continue
          const options = possibleBinnings(column)
          const chosen = [options[binning % options.length]]
          choice = setBinnings(choice, columns, column.name, chosen)
          expect(binningsOf(choice, column.name)).toEqual(chosen)
        }
        expect(new Set(choice.modes).size).toBe(choice.modes.length)
        expect(choice.merge).toBe(choice.value === undefined ? 'count' : 'error')
        expect(choice.modes.includes('place')).toBe(choice.place !== undefined)
      }),
    )
  })

  it('several binnings of a time are modes in the order of the columns', () => {
    const choice = setBinnings(guessed, columns, 'when', ['day', 'hour'])
    expect(choice.modes).toEqual(['shop', 'day(when)', 'hour(when)', 'place'])
  })

  it('a column of a wide table that is ignored is no label, and can be one again', () => {
    const wide: TableChoice = { modes: ['shop'], melt: 'day', merge: 'error', ignored: [] }
    const without = setRole(wide, columns, 'sales', 'ignored')
    expect([roleOf(without, 'sales'), roleOf(without, 'Lat')]).toEqual(['ignored', 'melted'])
    expect(roleOf(setRole(without, columns, 'sales', 'melted'), 'sales')).toBe('melted')
  })
})

it('nothing can be started before the questions that must be answered are', () => {
  const question = {
    kind: 'repeats',
    id: 'repeats',
    rows: 2,
    isNeeded: true,
    answers: [{ key: 'sum', changes: { merge: 'sum' } }],
  }
  const understanding = { columns, choice: guessed, preview: [], questions: [] }
  const content = { kind: 'table', name: 'a.csv', understanding, choice: guessed }
  const stateOf = (choice: TableChoice): CompleteState => {
    const reading = { choice, negative: 'error', merge: 'error' } as const
    const data = { id: 2, source: 1, reading, summary: { questions: [question] } }
    return {
      source: { id: 1, content },
      reading,
      data,
      runs: [],
      tablesPending: [],
    } as unknown as CompleteState
  }
  expect(canStart(stateOf(guessed))).toBe(false)
  expect(canStart(stateOf({ ...guessed, merge: 'sum' }))).toBe(true)
})

describe('the map of missing cells', () => {
  it('has the fraction of observed cells of each field, in order or fullest first', () => {
    // 2 × 3 × 2: shop b has all of day 1, shop a one cell of day 3.
    const tensor = sparseTensor({
      dims: [2, 3, 2],
      indices: [Uint32Array.of(1, 1, 0), Uint32Array.of(0, 0, 2), Uint32Array.of(0, 1, 1)],
      values: Float32Array.of(1, 1, 1),
      modes: [
        { name: 'shop', type: 'VARCHAR' },
        { name: 'day', type: 'BIGINT' },
        { name: 'kind', type: 'VARCHAR' },
      ],
      labels: [
        ['a', 'b'],
        ['1', '2', '3'],
        ['x', 'y'],
      ],
    })
    const { rows, columns, fractions, total } = mapGaps(tensor, 0, 1)
    expect(rows.bins.map(({ first }) => first)).toEqual(['b', 'a'])
    expect(columns.bins.map(({ first }) => first)).toEqual(['1', '2', '3'])
    expect([...fractions]).toEqual([1, 0, 0, 0, 0, 0.5])
    expect(total).toBe(3 / 12)
  })

  it('has at most 120 fields in each direction, which hold all entries', () => {
    const size = 1000
    const all = Uint32Array.from({ length: size }, (_, i) => i)
    const tensor = sparseTensor({
      dims: [size, size],
      indices: [all, all],
      values: new Float32Array(size).fill(1),
    })
    const { rows, columns, fractions } = mapGaps(tensor, 0, 1)
    expect([rows.bins.length, columns.bins.length]).toEqual([120, 120])
    const entries = fractions.reduce(
      (sum, fraction, at) =>
        sum + fraction * rows.bins[Math.floor(at / 120)].size * columns.bins[at % 120].size,
      0,
    )
    expect(entries).toBeCloseTo(size, 3)
  })
})
