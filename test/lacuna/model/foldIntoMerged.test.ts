/** Fold-in where modes were merged or split: the same rows as of a model whose modes are the merged ones, or the parts. */
import { describe, expect, it } from 'vitest'
import { draw } from '#lacuna/base/random.js'
import { CpModel } from '#lacuna/model/index.js'
import { observe } from '#lacuna/tensor/index.js'

const RANK = 2
/** Numbers from 0.2 to 1.2, by number. */
const chances = (count: number, key: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => 0.2 + draw(key, i) / 2 ** 32)
const prior = {
  kind: 'learned',
  sigma2: 0.01,
  noise: [1, 0, 0],
  least: 0,
  means: [0, 1].map((mode) => chances(RANK, 10 + mode)),
  precisions: [0, 1].map(() => Float32Array.from([1, 0, 0, 1])),
} as const
const factors = [chances(4 * RANK, 1), chances(3 * 5 * RANK, 2)]
// Pair (2, 4), row 14 of the merged mode, has no entry.
const unobserved = [new Uint32Array(0), Uint32Array.of(14)]
const merged = new CpModel({
  ...{ dims: [4, 3, 5], rank: RANK, factors, prior, unobserved },
  reshaping: { mergeModes: [[1, 2]], split: [] },
})
const plain = new CpModel({ dims: [4, 15], rank: RANK, factors, prior, unobserved })
/** All cells of the merged model before fold-in, and their predictions. */
const cells = [0, 1, 2].map((mode) =>
  Uint32Array.from({ length: 60 }, (_, c) => [Math.floor(c / 15), Math.floor(c / 5) % 3, c % 5][mode]),
)
const before = merged.predictMany(cells)
/** A tensor of entries by cell. */
const entries = (dims: number[], list: number[][]) => ({
  dims,
  indices: dims.map((_, mode) => Uint32Array.from(list, (cell) => cell[mode])),
  values: Float32Array.from(list, (cell) => cell[dims.length]),
})

describe('fold-in into a model of merged modes', () => {
  it('solves a new row of a mode that is not merged as in a model of the merged modes', () => {
    const given = [
      [4, 0, 1, 2],
      [4, 2, 3, 1.5],
      [4, 1, 1, 0.7],
    ]
    const folded = merged.foldIn(entries([5, 3, 5], given))
    const same = plain.foldIn(
      entries(
        [5, 15],
        given.map(([i, j, k, x]) => [i, 5 * j + k, x]),
      ),
    )
    expect(folded.dims).toEqual([5, 3, 5])
    expect(folded.factors).toEqual(same.factors)
    expect(folded.predictMany(cells)).toEqual(before)
  })

  it('solves pairs of a new row of the last merged mode, and moves the others to their new places', () => {
    const folded = merged.foldIn(
      entries(
        [4, 3, 6],
        [
          [0, 1, 5, 2],
          [3, 1, 5, 2.5],
        ],
      ),
    )
    const same = plain.foldIn(
      entries(
        [4, 16],
        [
          [0, 15, 2],
          [3, 15, 2.5],
        ],
      ),
    )
    expect(folded.dims).toEqual([4, 3, 6])
    expect(folded.predictMany(cells)).toEqual(before)
    expect(folded.predict([2, 1, 5])).toBe(same.predict([2, 15]))
    expect(folded.predict([2, 1, 5])).not.toBe(folded.predict([2, 0, 5]))
    // Pairs of the new row without an entry have the mean row.
    const mean = factors[0].subarray(4, 6).reduce((sum, a, r) => sum + a * prior.means[1][r], 0)
    expect(folded.predict([2, 0, 5])).toBeCloseTo(mean, 6)
    expect([...folded.unobserved[1]]).toEqual([5, 16, 17])
  })

  it('solves a pair of two known rows that had no entry, and no other', () => {
    const folded = merged.foldIn(
      entries(
        [4, 3, 5],
        [
          [0, 2, 4, 3],
          [1, 0, 0, 3],
        ],
      ),
    )
    const isOther = (_: number, c: number): boolean => c % 15 !== 14
    expect(folded.predictMany(cells).filter(isOther)).toEqual(before.filter(isOther))
    expect(folded.predict([0, 2, 4])).toBeGreaterThan(1.5 * merged.predict([0, 2, 4]))
  })

  it('is refused for updates of known rows', () => {
    const more = entries([4, 3, 5], [[0, 0, 0, 1]])
    expect(() => merged.foldIn(more, { update: true })).toThrow('cannot be updated; learn it anew')
  })
})

describe('fold-in into a model with a mode that was split', () => {
  const splitPrior = {
    ...prior,
    means: [0, 1, 2].map((mode) => chances(RANK, 20 + mode)),
    precisions: [0, 1, 2].map(() => Float32Array.from([1, 0, 0, 1])),
  }
  const splitFactors = [chances(4 * RANK, 1), chances(2 * RANK, 2), chances(5 * RANK, 3)]
  const known = cells[0].subarray(0, 33)
  const times = Uint32Array.from(known, (_, c) => (7 * c) % 10)
  const values = Float32Array.from(known, (_, c) => 1 + (c % 3))
  /** Blocks of five rows, and positions in them. */
  const parts = (time: Uint32Array): Uint32Array[] => [
    time.map((t) => Math.floor(t / 5)),
    time.map((t) => t % 5),
  ]
  const split = new CpModel({
    ...{ dims: [4, 10], rank: RANK, factors: splitFactors, prior: splitPrior },
    observed: observe({ dims: [4, 10], indices: [known, times], values }),
    reshaping: { mergeModes: [], split: [{ mode: 1, into: 5 }] },
  })
  const apart = new CpModel({
    ...{ dims: [4, 2, 5], rank: RANK, factors: splitFactors, prior: splitPrior },
    observed: observe({ dims: [4, 2, 5], indices: [known, ...parts(times)], values }),
  })
  const given = [
    [4, 0, 1.2],
    [4, 3, 0.7],
    [4, 8, 1.5],
  ]

  it('solves new rows of other modes as in a model of blocks and positions', () => {
    const folded = split.foldIn(entries([5, 10], given))
    const same = apart.foldIn(
      entries(
        [5, 2, 5],
        given.map(([i, t, x]) => [i, Math.floor(t / 5), t % 5, x]),
      ),
    )
    expect(folded.dims).toEqual([5, 10])
    expect(folded.factors).toEqual(same.factors)
    expect(folded.predict([4, 6])).toBe(same.predict([4, 1, 1]))
    expect(folded.observed!.counts.map((counts) => counts.length)).toEqual([5, 10])
  })

  it('is refused for new rows of that mode, and for updates', () => {
    const longer = entries([4, 11], [[0, 10, 1]])
    expect(() => split.foldIn(longer)).toThrow('with mode_2 split into blocks, to which no rows can be added')
    const more = entries([4, 10], [[0, 0, 1]])
    expect(() => split.foldIn(more, { update: true })).toThrow('merged or split, and does not say how many')
  })
})
