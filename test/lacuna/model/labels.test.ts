import { describe, expect, it } from 'vitest'
import { CpModel, type Labels } from '#lacuna/model/index.js'

const fields = {
  dims: [2, 3, 2],
  rank: 1,
  factors: [Float32Array.of(1, 2), Float32Array.of(1, 3, 5), Float32Array.of(1, 7)],
}
const model = new CpModel({
  ...fields,
  labels: [['a', 'b'], ['4.50', '10', 'toString'], undefined],
  modes: [{ name: 'user' }, { name: 'film' }, { name: 'slot' }],
})

describe('a prediction by label', () => {
  it.each<[Labels, readonly number[]]>([
    [{ user: 'a', film: '10', slot: 1 }, [0, 1, 0]],
    [{ user: 'b', film: 10, slot: 2 }, [1, 1, 1]],
    [{ user: 'b', film: 4.5, slot: '2' }, [1, 0, 1]],
    [{ user: 'b', film: 'toString', slot: 2, stars: 3 }, [1, 2, 1]],
  ])('is that of its indices: %j', (labels, indices) => {
    expect(model.predict(labels)).toBe(model.predict(indices))
  })

  it.each<[Labels, string]>([
    [{ user: 'c', film: '10', slot: 1 }, 'The model knows no user "c"; it has 2, from "a" to "b".'],
    [{ user: 'a', film: 'constructor', slot: 1 }, 'knows no film "constructor"'],
    [
      { user: 'a', slot: 1 },
      'There is no film among user, slot; give a label for each mode: user, film, slot.',
    ],
    [{ user: 'a', film: '10', slot: 3 }, 'slot is 3; it must be a whole number from 1 to 2'],
    [{ user: 'a', film: '10', slot: 0 }, 'slot is 0; it must be'],
    [{ user: 'a', film: '10', slot: 'x' }, 'slot is x; it must be'],
  ])('is refused in a sentence: %j', (labels, message) => {
    expect(() => model.predict(labels)).toThrow(
      expect.objectContaining({ name: 'InputError', message: expect.stringContaining(message) }),
    )
  })

  it('is refused if the modes have no names', () => {
    expect(() => new CpModel(fields).predict({ user: 'a' })).toThrow('The modes of this model have no names')
  })

  it('mixes up no ids beyond 2⁵³, which are one number', () => {
    const ids = ['1152921504606846976', '1152921504606846977', '9']
    const byId = new CpModel({
      ...fields,
      labels: [undefined, ids, undefined],
      modes: [{ name: 'user' }, { name: 'id', type: 'BIGINT' }, { name: 'slot' }],
    })
    const at = (id: string | bigint | number): number => byId.predict({ user: 1, id, slot: 1 })
    expect([at(ids[0]), at(ids[1]), at(2n ** 60n + 1n)]).toEqual([1, 3, 3])
    expect(at('9.0')).toBe(5)
    expect(() => at('1152921504606846975')).toThrow('knows no id "1152921504606846975"')
    expect(() => at(2 ** 60)).toThrow('knows no id')
  })
})
