import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hideAtRandom } from '#lacuna/image/index.js'
import { averagePatches, patchGrid, patchTensor } from '#lacuna/image/patches.js'
import { pixelTensor, pixelValues } from '#lacuna/image/pixelTensor.js'
import { smoothValues } from '#lacuna/image/smoothStart.js'
import { CpModel } from '#lacuna/model/index.js'
import { checkProperty } from '../../properties.ts'

const sizes = fc.record({
  width: fc.integer({ min: 2, max: 40 }),
  height: fc.integer({ min: 2, max: 40 }),
  channels: fc.constantFrom(1 as const, 3 as const),
})
const ramp = (length: number) => Float32Array.from({ length }, (_, at) => (at % 251) / 251)

describe('a picture as a tensor', () => {
  it('pixelTensor puts every known value at its row, column and channel', () => {
    checkProperty(
      fc.property(sizes, (size) => {
        const values = ramp(size.width * size.height * size.channels)
        const known = hideAtRandom({ ...size, maximum: 255 }, { share: 0.5, perChannel: true })
        const { dims, indices, values: entries } = pixelTensor(values, known, size)
        expect(dims).toEqual([size.height, size.width, size.channels])
        const back = new Float32Array(values.length)
        entries.forEach((x, e) => {
          back[(indices[0][e] * size.width + indices[1][e]) * size.channels + indices[2][e]] = x
        })
        expect(back).toEqual(values.map((x, at) => (known[at] ? x : 0)))
      }),
      { seed: 1, numRuns: 30 },
    )
  })

  it('patchTensor covers the picture, and each entry is the value at its position', () => {
    checkProperty(
      fc.property(
        sizes,
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 1, max: 5 }),
        (size, edge, stride) => {
          const values = ramp(size.width * size.height * size.channels)
          const known = new Uint8Array(values.length) // all in holes: the guess alone speaks, at every place
          const grid = patchGrid(size, edge, Math.min(edge, stride))
          const source = { ...size, values, known, guess: values, knownFraction: 1, guessFraction: 1, key: 1 }
          const { tensor, patches } = patchTensor(source, grid)
          const back = new Float32Array(values.length).fill(-1)
          let astray = 0
          tensor.values.forEach((x, e) => {
            const [patch, pixel, channel] = tensor.indices.map((column) => column[e])
            const top = grid.tops[Math.floor(patches[patch] / grid.lefts.length)]
            const left = grid.lefts[patches[patch] % grid.lefts.length]
            const row = top + Math.floor(pixel / grid.columns)
            const at = (row * size.width + left + (pixel % grid.columns)) * size.channels + channel
            if (x !== values[at]) astray++
            back[at] = x
          })
          expect(astray).toBe(0)
          expect(back).toEqual(values)
        },
      ),
      { seed: 1, numRuns: 30 },
    )
  })

  it('Patches without a hole are left out, and their pixels keep the values from before', () => {
    const size = { width: 32, height: 8, channels: 1 }
    const known = new Uint8Array(256).fill(1)
    known[0] = 0
    const values = ramp(256)
    const reshaped = patchTensor(
      { ...size, values, known, knownFraction: 1, guessFraction: 0, key: 1 },
      patchGrid(size, 8, 8),
    )
    expect(reshaped.tensor.dims).toEqual([1, 64, 1])
    expect(reshaped.tensor.values).toHaveLength(63)
    const model = new CpModel({
      ...{ dims: [1, 64, 1], rank: 1 },
      factors: [Float32Array.of(0.5), new Float32Array(64).fill(0.5), Float32Array.of(1)],
    })
    const mean = averagePatches(model, reshaped, size, values)
    for (let at = 0; at < 256; at++) expect(mean[at]).toBeCloseTo(at % 32 < 8 ? 0.25 : values[at], 6)
  })

  it('averagePatches of a model of a constant picture is the constant', () => {
    const size = { width: 21, height: 17, channels: 3 }
    const known = new Uint8Array(21 * 17 * 3)
    const source = {
      ...size,
      values: new Float32Array(known.length),
      known,
      knownFraction: 1,
      guessFraction: 1,
      key: 1,
    }
    const reshaped = patchTensor({ ...source, guess: source.values }, patchGrid(size, 6, 2))
    const factors = reshaped.tensor.dims.map((rows, mode) =>
      new Float32Array(2 * rows).fill(mode === 0 ? 0.25 : 1),
    )
    const model = new CpModel({ dims: reshaped.tensor.dims, rank: 2, factors })
    for (const y of averagePatches(model, reshaped, size, source.values)) expect(y).toBeCloseTo(0.5, 5)
  })
})

it('The middle of a patch counts more than its edge where patches of a picture differ', () => {
  // Two patches of four pixels in a row of six: the first says 0, the second 1.
  const size = { width: 6, height: 1, channels: 1 }
  const values = new Float32Array(6)
  const source = { ...size, values, known: new Uint8Array(6), knownFraction: 1, guessFraction: 1, key: 1 }
  const reshaped = patchTensor({ ...source, guess: values }, patchGrid(size, 4, 2))
  expect(reshaped.tensor.dims).toEqual([2, 4, 1])
  const factors = [Float32Array.of(0, 1), new Float32Array(4).fill(1), Float32Array.of(1)]
  const model = new CpModel({ dims: reshaped.tensor.dims, rank: 1, factors })
  const weight = (place: number): number => Math.exp(-4 * ((place + 0.5) / 4 - 0.5) ** 2)
  const mixed = (first: number, second: number): number => weight(second) / (weight(first) + weight(second))
  const expected = [0, 0, mixed(2, 0), mixed(3, 1), 1, 1]
  expect([...averagePatches(model, reshaped, size, values)]).toEqual(
    expected.map((y) => expect.closeTo(y, 6)),
  )
  expect(expected[2]).toBeLessThan(0.4)
})

describe('plain values', () => {
  it('pixelValues are the predictions of the model, row by row', () => {
    const model = new CpModel({
      dims: [2, 2, 1],
      rank: 1,
      factors: [Float32Array.of(1, 2), Float32Array.of(3, 4), Float32Array.of(0.1)],
    })
    const found = pixelValues(model)
    ;[0.3, 0.4, 0.6, 0.8].forEach((x, at) => {
      expect(found[at]).toBeCloseTo(x, 6)
    })
  })
})

describe('the smooth start', () => {
  it('smoothValues keeps known values, is exact on a constant and close on a slope, for any size of the hole', () => {
    const size = { width: 64, height: 48, channels: 1 }
    const slope = Float32Array.from({ length: 64 * 48 }, (_, p) => 0.2 + 0.01 * (p % 64))
    const known = Uint8Array.from(slope, (_, p) =>
      p % 64 >= 20 && p % 64 < 44 && p / 64 > 12 && p / 64 < 36 ? 0 : 1,
    )
    const filled = smoothValues(slope, known, size)
    filled.forEach((u, p) => {
      if (known[p]) expect(u).toBe(slope[p])
      else expect(Math.abs(u - slope[p])).toBeLessThan(0.03)
    })
    const flat = smoothValues(
      slope.map(() => 0.5),
      known,
      size,
    )
    for (const u of flat) expect(u).toBeCloseTo(0.5, 5)
  })
})
