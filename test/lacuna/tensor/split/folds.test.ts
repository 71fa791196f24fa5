import { describe, expect, it } from 'vitest'
import { option } from '#lacuna/base/inputError.js'
import { attributesOf } from '#lacuna/tensor/attributes.js'
import { gapsOf } from '#lacuna/tensor/gaps.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import { byEntry, describeFoldBy, foldsOf, parseFoldBy, splitFold } from '#lacuna/tensor/split/folds.js'

/** A tensor of ones at all cells but those that are left out. */
function cells(dims: readonly number[], isOut: (coordinate: readonly number[]) => boolean): SparseTensor {
  let coordinates: number[][] = [[]]
  for (const dim of dims)
    coordinates = coordinates.flatMap((coordinate) =>
      Array.from({ length: dim }, (_, index) => [...coordinate, index]),
    )
  coordinates = coordinates.filter((coordinate) => !isOut(coordinate))
  return {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(coordinates, (coordinate) => coordinate[mode])),
    values: new Float32Array(coordinates.length).fill(1),
  }
}

/** A number in [0, 1) that depends on the words as if at random. */
const chance = (...words: readonly number[]): number =>
  Math.abs(Math.sin(words.reduce((sum, word) => 57.3 * sum + word, 1)) * 43758.5) % 1

describe('folds', () => {
  const tensor = cells([30, 20, 10], (coordinate) => chance(...coordinate) < 0.5)
  const entries = tensor.values.length

  it('Folds hold out every entry once, about as many each', () => {
    const folds = foldsOf(tensor, byEntry(tensor), 5, 1)
    const parts = [0, 1, 2, 3, 4].map((fold) => splitFold(tensor, folds, fold))
    expect(parts.reduce((sum, { out }) => sum + out.values.length, 0)).toBe(entries)
    for (const { train, out } of parts) {
      expect(train.values.length + out.values.length).toBe(entries)
      expect(Math.abs(out.values.length / entries - 0.2)).toBeLessThan(0.02)
    }
  })

  it('Folds depend on seed and coordinates, not on the order of the entries', () => {
    const order = Uint32Array.from(tensor.values.keys()).reverse()
    const folds = foldsOf(tensor, byEntry(tensor), 5, 1)
    expect(foldsOf(pickEntries(tensor, order), byEntry(tensor), 5, 1)).toEqual(folds.slice().reverse())
    expect(foldsOf(tensor, byEntry(tensor), 5, 2)).not.toEqual(folds)
  })

  it('Folds keep groups together: rows, blocks, pairs', () => {
    for (const [text, groups] of [
      ['2', 20],
      ['2:5', 4],
      ['1+3', 300],
    ] as const) {
      const by = parseFoldBy(text, tensor, option('foldBy'))
      const folds = foldsOf(tensor, by, 4, 1)
      const foldOf = new Map<string, number>()
      tensor.values.forEach((_, e) => {
        const group = by.map(({ mode, length }) => Math.floor(tensor.indices[mode][e] / length)).join()
        expect(foldOf.get(group) ?? folds[e]).toBe(folds[e])
        foldOf.set(group, folds[e])
      })
      expect(foldOf.size).toBe(groups)
      const sizes = [0, 1, 2, 3].map((fold) => [...foldOf.values()].filter((found) => found === fold).length)
      expect(sizes).toEqual([groups / 4, groups / 4, groups / 4, groups / 4])
    }
  })

  it('Groups of folds are described in words, and impossible ones refused', () => {
    const named = { ...tensor, modes: [{ name: 'station' }, { name: 'hour' }, { name: 'day' }] }
    const parse = (text: string): string => describeFoldBy(parseFoldBy(text, named, option('foldBy')), named)
    expect(parse('entry')).toBe('single entries')
    expect(parse('station+day')).toBe('what has station and day in common')
    expect(parse('hour:4')).toBe('what has blocks of 4 of hour in common')
    expect(() => parse('week')).toThrow("foldBy names mode 'week'; there are station, hour, day, or 1 to 3.")
    for (const twice of ['hour+hour+day', 'hour:4+day+hour'])
      expect(() => parse(twice)).toThrow('foldBy names hour twice; name each mode once.')
    expect(() => parseFoldBy('1+2+2', tensor, option('foldBy'))).toThrow('foldBy names mode 2 twice')
    const repeated = [0, 0, 2].map((mode) => ({ mode, length: 1 }))
    expect(describeFoldBy(repeated, named)).not.toBe('single entries')
    expect(() => parse('hour:0')).toThrow(
      "foldBy is 'hour:0'; give modes, as in station+day or hour:24, or entry.",
    )
  })
})

describe('gaps', () => {
  const dims = [20, 24, 15]
  const by = (isOut: (coordinate: readonly number[]) => boolean): number[] =>
    gapsOf(cells(dims, isOut)).map(({ mode }) => mode)

  it('gapsOf finds the modes whose cells are missing in whole groups', () => {
    expect(by((coordinate) => chance(...coordinate) < 0.6)).toEqual([0, 1, 2])
    expect(by(([, , k]) => k % 4 === 1)).toEqual([2])
    expect(by(([i, , k]) => chance(i, k) < 0.3)).toEqual([0, 2])
    expect(by(([i, j, k]) => chance(i, k) < 0.3 || chance(i, j, k) < 0.1)).toEqual([0, 2])
  })

  it('gapsOf finds whole groups only if they make up 30% of the missing cells', () => {
    // One of 15 rows is missing, and of the others so much that the row is 35% or 25% of all that is missing.
    const rowAndSome = (share: number): number[] => {
      const others = (1 / 15 / share - 1 / 15) / (14 / 15)
      return by((coordinate) => coordinate[2] === 4 || chance(...coordinate) < others)
    }
    expect(rowAndSome(0.35)).toEqual([2])
    expect(rowAndSome(0.25)).toEqual([0, 1, 2])
  })

  it('gapsOf finds how many consecutive rows are missing together', () => {
    const lengths = (isOut: (coordinate: readonly number[]) => boolean): number[] =>
      gapsOf(cells([20, 6, 60], isOut)).map(({ length }) => length)
    // Single days of stations; runs of four or five days; five stations at a time.
    expect(lengths(([i, , k]) => chance(i, k) < 0.3)).toEqual([1, 1])
    const [station, days] = lengths(([i, , k]) => chance(i, Math.floor((k + i) / 4)) < 0.3)
    expect(station).toBe(1)
    expect(days).toBeGreaterThanOrEqual(4)
    expect(days).toBeLessThanOrEqual(6)
    const [stations, day] = lengths(([i, , k]) => chance(k) < 0.3 && (i * 7 + k) % 20 < 5)
    expect(stations).toBe(5)
    expect(day).toBe(1)
    // A gap in the middle, whole days of all stations: blocks of the length of the gap.
    expect(lengths(([, , k]) => k >= 30 && k < 33)).toEqual([3])
  })

  it('gapsOf finds runs of missing cells along a mode, but not where rows and columns only differ in how much is missing', () => {
    const lengths = (sizes: readonly number[], isOut: (coordinate: readonly number[]) => boolean): number[] =>
      gapsOf(cells(sizes, isOut)).map(({ length }) => length)
    // Days of sensors in a table of sensors and hours: 24 hours, and as often one more day as a day is missing.
    const [sensor, hours] = lengths([30, 480], ([i, k]) => chance(i, Math.floor(k / 24), 7) < 0.4)
    expect(sensor).toBe(1)
    expect(hours).toBeGreaterThanOrEqual(30)
    expect(hours).toBeLessThanOrEqual(50)
    // Parts of days.
    const [, slots] = lengths([20, 24, 15], ([i, j, k]) => chance(i, Math.floor(j / 6), k) < 0.4)
    expect(slots).toBeGreaterThanOrEqual(6)
    expect(slots).toBeLessThanOrEqual(10)
    const byRate = (rateOf: (i: number, k: number) => number): number[] =>
      lengths([30, 480], ([i, k]) => chance(i, k, 9) < rateOf(i, k))
    expect(byRate((i) => 0.05 + (0.9 * i) / 30)).toEqual([1, 1])
    expect(byRate((_, k) => 0.05 + (0.9 * k) / 480)).toEqual([1, 1])
    expect(byRate((i, k) => (0.9 * (i + 1) * (k + 1)) / 30 / 480)).toEqual([1, 1])
    // Nineteen and twenty runs.
    const fewRuns = (runs: number): number[] =>
      lengths([30, 480], ([i, k]) => i < runs && k >= 10 * i && k < 10 * i + 10)
    expect(fewRuns(19)).toEqual([1, 1])
    expect(fewRuns(20)[1]).toBeGreaterThan(1)
  })

  it('gapsOf leaves enough blocks to make folds of', () => {
    expect(gapsOf(cells([20, 6, 60], ([, , k]) => k >= 20 && k < 50))).toEqual([{ mode: 2, length: 3 }])
  })

  it('gapsOf finds no groups where nearly all cells are missing', () => {
    expect(by(([i, j, k]) => (i + j + k) % 60 !== 0 || k % 2 === 0)).toEqual([0, 1, 2])
  })
})

describe('attributes', () => {
  it('Attributes are numbers of mean 0 and deviation 1, or words of several rows', () => {
    const { names, columns, values, unknown } = attributesOf(
      ['year', 'genres', 'same'],
      [
        ['1990', 'Drama|War', 'a'],
        ['2000', 'War', 'a'],
        [null, 'Drama| Noir', 'a'],
        undefined,
        ['2010', '', 'a'],
      ],
    )
    expect(names).toEqual(['year', 'genres: Drama', 'genres: War', 'same: a'])
    expect(columns).toBe(4)
    const d = Math.sqrt(200 / 3)
    expect([...values].map((x) => Number(x.toFixed(4)))).toEqual(
      [-10 / d, 1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0, 10 / d, 0, 0, 1].map((x) =>
        Number(x.toFixed(4)),
      ),
    )
    expect(unknown).toBe(1)
  })

  it('A column of equal numbers gives no attribute', () => {
    expect(attributesOf(['x'], [['1'], ['1'], [null]]).columns).toBe(0)
  })
})
