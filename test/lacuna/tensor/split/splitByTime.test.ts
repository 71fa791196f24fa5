import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leaveOneOut, type SparseTensor, type Split, splitByTime } from '#lacuna/tensor/index.js'
import { randomTensor } from '../../../problems.ts'
import { checkProperty } from '../../../properties.ts'

const entriesOf = ({ indices, values }: SparseTensor): string[] =>
  Array.from(values, (value, e) => [...indices.map((column) => column[e]), value].join())
const all = ({ train, validation, test }: Split) => [train, validation, test].flatMap(entriesOf)
const tensors = fc.record({
  dims: fc.array(fc.integer({ min: 4, max: 12 }), { minLength: 2, maxLength: 4 }),
  entries: fc.integer({ min: 50, max: 200 }),
  seed: fc.nat(1000),
})

describe('splitByTime', () => {
  test('splitByTime holds out the latest entries, as many as asked, and loses none', () => {
    checkProperty(
      fc.property(tensors, fc.nat(3), (shape, mode) => {
        const tensor = { ...randomTensor(shape), labels: shape.dims.map((dim) => Array(dim).fill('x')) }
        const time = mode % shape.dims.length
        const total = tensor.values.length
        const parts = splitByTime(tensor, { validation: 0.2, test: 0.1 }, { time, seed: shape.seed })
        expect(all(parts).sort()).toEqual(entriesOf(tensor).sort())
        expect(parts.test.values.length).toBe(Math.max(1, Math.round(0.1 * total)))
        expect(parts.validation.values.length).toBe(Math.max(1, Math.round(0.2 * total)))
        const times = [parts.train, parts.validation, parts.test].map((part) => part.indices[time])
        expect(Math.max(...times[0])).toBeLessThanOrEqual(Math.min(...times[1]))
        expect(Math.max(...times[1])).toBeLessThanOrEqual(Math.min(...times[2]))
        for (const part of Object.values(parts))
          expect(part).toMatchObject({ dims: tensor.dims, labels: tensor.labels })
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  test('splitByTime chooses among entries at the border by the seed, uniformly', () => {
    const tensor = {
      dims: [4, 1],
      indices: [Uint32Array.of(0, 1, 2, 3), new Uint32Array(4)],
      values: Float32Array.of(1, 2, 3, 4),
    }
    const held = [0, 0, 0, 0]
    for (let seed = 0; seed < 2000; seed++)
      held[splitByTime(tensor, { test: 0.25 }, { seed }).test.indices[0][0]]++
    for (const times of held) expect(Math.abs(times - 500)).toBeLessThan(100)
    expect(splitByTime(tensor, { test: 0.5 }, { seed: 3 })).toEqual(
      splitByTime(tensor, { test: 0.5 }, { seed: 3 }),
    )
  })

  test('splitByTime refuses a mode that does not exist', () => {
    expect(() =>
      splitByTime(randomTensor({ dims: [3, 3], entries: 9, seed: 1 }), { test: 0.1 }, { time: 2 }),
    ).toThrow('The tensor has 2 modes; there is none of number 3.')
  })
})

describe('leaveOneOut', () => {
  test('leaveOneOut holds out the last entry of every row that has another, and loses none', () => {
    checkProperty(
      fc.property(tensors, fc.boolean(), (shape, validation) => {
        const tensor = randomTensor(shape)
        const parts = leaveOneOut(tensor, { validation, seed: shape.seed })
        expect(all(parts).sort()).toEqual(entriesOf(tensor).sort())
        const time = tensor.dims.length - 1
        const timesOf = (part: SparseTensor, row: number) =>
          [...part.indices[time]].filter((_, e) => part.indices[0][e] === row)
        for (let row = 0; row < tensor.dims[0]; row++) {
          const whole = timesOf(tensor, row)
          expect(timesOf(parts.test, row)).toEqual(whole.length > 1 ? [Math.max(...whole)] : [])
          expect(timesOf(parts.validation, row).length).toBe(validation && whole.length > 2 ? 1 : 0)
          const [last] = timesOf(parts.validation, row)
          if (last !== undefined) expect(Math.max(...timesOf(parts.train, row))).toBeLessThanOrEqual(last)
        }
      }),
      { seed: 1, numRuns: 50 },
    )
  })

  test('leaveOneOut refuses rows of one entry each', () => {
    const tensor = {
      dims: [2, 1],
      indices: [Uint32Array.of(0, 1), new Uint32Array(2)],
      values: Float32Array.of(1, 2),
    }
    expect(() => leaveOneOut(tensor)).toThrow('Every row of mode 1 has a single entry')
  })
})
