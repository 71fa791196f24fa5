import { describe, expect, it } from 'vitest'
import { CpModel, complete } from '#lacuna/index.js'
import { synthetic } from '#lacuna/tensor/index.js'

describe('the variance of predictions', () => {
  it('matches their squared errors, and is larger for rows with fewer entries', async () => {
    const { tensor } = synthetic({ dims: [60, 50, 20], entries: 6000, rank: 3, snrDb: 10, seed: 2 })
    // Some rows keep few entries.
    const isHeld = (e: number): boolean => (tensor.indices[0][e] % 3 === 0 ? e % 10 > 0 : e % 5 === 0)
    const pick = (held: boolean): Uint32Array =>
      Uint32Array.from(tensor.values.keys()).filter((e) => isHeld(e) === held)
    const part = (entries: Uint32Array): typeof tensor => ({
      ...tensor,
      indices: tensor.indices.map((column) => entries.map((e) => column[e])),
      values: Float32Array.from(entries, (e) => tensor.values[e]),
    })
    const test = part(pick(true))
    const { model } = await complete(part(pick(false)), { rank: 6, threads: 1 })
    const sums = { few: [0, 0, 0], many: [0, 0, 0] }
    test.values.forEach((x, e) => {
      const cell = test.indices.map((column) => column[e])
      const { model: expected, noise } = model.variance(cell)
      const group = cell[0] % 3 === 0 ? sums.few : sums.many
      group[0]++
      group[1] += expected
      group[2] += (x - model.predict(cell, { clip: false })) ** 2 / (expected + noise)
    })
    for (const [count, , squares] of Object.values(sums)) {
      expect(squares / count).toBeGreaterThan(0.75)
      expect(squares / count).toBeLessThan(1.35)
    }
    expect(sums.few[1] / sums.few[0]).toBeGreaterThan(2 * (sums.many[1] / sums.many[0]))
  })

  it('is refused for a model without a learned prior', () => {
    const factors = [new Float32Array(2), new Float32Array(3)]
    const model = new CpModel({ dims: [2, 3], rank: 1, factors })
    expect(() => model.variance([0, 0])).toThrow('What this model does not know of its rows is not known')
  })
})
