/** Compact model files: readable as any other, with errors below their bounds. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { draw, unit } from '#lacuna/base/random.js'
import { decodeAnyModel } from '#lacuna/folds.js'
import { decodeNpz, encodeCompactModel, encodeNpz } from '#lacuna/formats.js'
import { CpModel, complete, encodeModel, synthetic } from '#lacuna/index.js'
import { toHalf } from '#lacuna/io/array/compactModel.js'
import { elementType } from '#lacuna/io/npz/index.js'
import { decodeModel } from '#lacuna/predict/index.js'

const { tensor } = synthetic({ dims: [300, 200, 20], entries: 20_000, rank: 4, seed: 3 })
const { model } = await complete(tensor, { rank: 6, epochs: 5, threads: 1 })

/** The number of the bits of a float16, as files are read. */
const fromHalf = (bits: number): number =>
  Number(elementType('<f2')!.decode(new Uint8Array([bits & 255, bits >> 8]))[0])

describe('float16', () => {
  it('every float16 is encoded as itself', () => {
    for (let bits = 0; bits < 0x7c00; bits++) expect(toHalf(fromHalf(bits))).toBe(bits)
  })

  it('a number is encoded as the nearest float16', () => {
    fc.assert(
      fc.property(fc.float({ min: 0, max: 65000, noNaN: true }), (x) => {
        const bits = toHalf(x)
        const distance = Math.abs(fromHalf(bits) - x)
        for (const other of [bits - 1, bits + 1])
          if (other >= 0) expect(distance).toBeLessThanOrEqual(Math.abs(fromHalf(other) - x))
      }),
    )
  })
})

describe('a compact model', () => {
  it('as float16 has factors with a relative error below 0.05%', () => {
    const bytes = encodeCompactModel(model, 'float16')
    const compact = decodeAnyModel(bytes, 'small.npz') as CpModel
    model.factors.forEach((factor, mode) => {
      factor.forEach((x, at) => {
        expect(Math.abs(compact.factors[mode][at] - x)).toBeLessThanOrEqual(Math.max(2 ** -11 * x, 2 ** -25))
      })
    })
  })

  it('as int8 has factors with an error below 0.2% of the largest of their row', () => {
    const bytes = encodeCompactModel(model, 'int8')
    const compact = decodeAnyModel(bytes, 'small.npz') as CpModel
    model.factors.forEach((factor, mode) => {
      for (let row = 0; row < model.dims[mode]; row++) {
        const values = factor.subarray(row * 6, row * 6 + 6)
        const largest = Math.max(...values)
        values.forEach((x, r) => {
          expect(Math.abs(compact.factors[mode][row * 6 + r] - x)).toBeLessThanOrEqual(0.002 * largest)
        })
      }
    })
  })

  it('of rank 20 has less than half the bytes as float16, and less than 31% as int8', () => {
    const dims = [2000, 1000]
    const factors = dims.map((dim, mode) =>
      Float32Array.from({ length: dim * 20 }, (_, at) => unit(draw(mode, at))),
    )
    const large = new CpModel({ dims, rank: 20, factors })
    const whole = encodeModel(large).length
    expect(encodeCompactModel(large, 'float16').length).toBeLessThan(0.5 * whole)
    expect(encodeCompactModel(large, 'int8').length).toBeLessThan(0.31 * whole)
  })

  it.each(['float16', 'int8'] as const)(
    'as %s has the statistics of the entries, and is a model for lacuna/predict',
    (kind) => {
      const bytes = encodeCompactModel(model, kind)
      expect(encodeCompactModel(model, kind)).toEqual(bytes)
      const compact = decodeAnyModel(bytes, 'small.npz') as CpModel
      expect(compact.observed!.counts).toEqual(model.observed!.counts)
      expect(compact.prior).toEqual(model.prior)
      expect(compact.training).toEqual(model.training)
      expect(decodeModel(bytes, 'small.npz').predict([1, 2, 3])).toBe(compact.predict([1, 2, 3]))
    },
  )

  it('refuses numbers that are too large for float16, and takes them as int8', () => {
    const large = new CpModel({ dims: [1, 1], rank: 1, factors: [Float32Array.of(1e6), Float32Array.of(0)] })
    expect(() => encodeCompactModel(large, 'float16')).toThrow(
      /float16 ends at 65504; write the model as int8/,
    )
    const compact = decodeAnyModel(encodeCompactModel(large, 'int8'), 'x') as CpModel
    expect([...compact.factors[0], ...compact.factors[1]]).toEqual([expect.closeTo(1e6, 0), 0])
  })

  it('is refused if its scales are missing, too few or not numbers from 0', () => {
    const files = decodeNpz(encodeCompactModel(model, 'int8'), 'x')
    const scales = files['factor_scale_1.npy'] as { shape: number[]; data: Float32Array }
    const damaged = (data: Float32Array | undefined) => () =>
      decodeAnyModel(
        encodeNpz({
          ...Object.fromEntries(Object.entries(files).filter(([name]) => name !== 'factor_scale_1.npy')),
          ...(data && { 'factor_scale_1.npy': { shape: [data.length], data } }),
        }),
        'small.npz',
      )
    expect(damaged(undefined)).toThrow(/factor_1.npy does not hold float32/)
    expect(damaged(scales.data.subarray(1))).toThrow(/small\.npz.*factor_scale/)
    expect(damaged(scales.data.map(() => -1))).toThrow(/not negative/)
    expect(damaged(scales.data.map(() => NaN))).toThrow(/NaN/)
  })
})
