import { describe, expect, it } from 'vitest'
import { startRun } from '#lacuna/fileRun.js'
import { complete, type RunOptions } from '#lacuna/solver/index.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { tensor } from './problem.ts'

describe('the border', () => {
  const few = pickEntries(tensor, Uint32Array.of(0, 1, 2))
  const cases: [string, unknown, unknown, RegExp][] = [
    ['nothing at all', undefined, undefined, /^The tensor is missing; give dims, indices and values/],
    ['null', null, {}, /^The tensor is missing/],
    ['text', 'tensor', {}, /^The tensor is no tensor/],
    ['a model', { dims: [2, 2], rank: 1, factors: [] }, {}, /^The tensor is no tensor/],
    ['plain numbers', { ...few, values: [1, 2, 3] }, {}, /^The tensor has values that are no Float32Array/],
    ['float64', { ...few, values: Float64Array.of(1, 2, 3) }, {}, /no Float32Array/],
    [
      'plain indices',
      { ...few, indices: few.indices.map((c) => [...c]) },
      {},
      /indices of mode 1 that are no Uint32Array/,
    ],
    ['unequal columns', { ...few, values: Float32Array.of(1, 2) }, {}, /^Mode 1 has 3 indices for 2 values/],
    ['a missing column', { ...few, indices: few.indices.slice(1) }, {}, /3 dims but 2 index columns/],
    [
      'an index beyond',
      { ...few, dims: [12, 60, 3] },
      {},
      /^Entry \d has index \d+ in mode 3; .* from 0 to 2/,
    ],
    ['NaN', { ...few, values: Float32Array.of(1, NaN, 3) }, {}, /^Entry 1 has the value NaN/],
    ['no entries', pickEntries(few, new Uint32Array(0)), {}, /no observed entries/],
    ['an unknown option', few, { ranks: 3 }, /^There is no option ranks; there are rank, solver/],
    [
      'an engine that is none',
      few,
      { engine: {} },
      /^engine is no engine; give what cpuEngine\(\) or gpuEngine\(\) makes/,
    ],
    [
      'initial factors that are none',
      few,
      { initial: {} },
      /^initial is neither a model nor a list of factors/,
    ],
    ['options that are none', few, 5, /^The options are 5; they must be an object/],
    ['text for a number', few, { rank: '5' }, /^rank is 5; it must be a whole number from 1/],
    ['NaN for a number', few, { lambda: NaN }, /^lambda is NaN/],
    ['validation that is none', few, { validation: [] }, /^validation is no tensor/],
    [
      'validation with NaN',
      few,
      { validation: { ...few, values: few.values.map(() => NaN) } },
      /^Entry 0 of validation has the value NaN/,
    ],
    ['watch that is none', few, { watch: few.values }, /no tensor|missing/],
    [
      'a watched name that is taken',
      few,
      { watch: { train: few } },
      /^watch has a set 'train'; choose another name/,
    ],
    [
      'a watched set of another size',
      few,
      { watch: { a: { ...few, dims: [12, 60, 51] } } },
      /^The watched set 'a' is of size 12×60×51/,
    ],
  ]
  it.each(cases)('a run refuses %s', async (_, of, options, message) => {
    for (const start of [complete, startRun]) {
      const error = await (start as typeof startRun)(of as SparseTensor, options as RunOptions).then(
        () => undefined,
        (error) => error,
      )
      expect(error.name).toBe('InputError')
      expect(error.message).toMatch(message)
      expect(typeof error.code).toBe('string')
    }
  })

  it('a run takes the rank of its initial model', async () => {
    const { model } = await complete(tensor, { rank: 3, epochs: 2 })
    const again = await complete(tensor, { initial: model, epochs: 1 })
    expect(again.model.rank).toBe(3)
    await expect(complete(tensor, { initial: model, rank: 4 })).rejects.toThrow(
      'The initial model has rank 3',
    )
  })
})
