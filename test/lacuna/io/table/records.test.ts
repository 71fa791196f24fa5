import { describe, expect, it } from 'vitest'
import { readRows, tensorFromRecords, textTable } from '#lacuna/io/table/index.js'

const rows = [
  { user: 10, film: 'Solaris', seen: new Date('2024-01-03T10:00:00Z'), stars: 4.5 },
  { user: 9, film: 'Stalker', seen: new Date('2024-01-12T00:00:00Z'), stars: 3 },
  { user: 10, film: 'Stalker', seen: new Date('2024-01-04T00:00:00Z'), stars: 5 },
]
const csv = `user,film,seen,stars\n${rows.map(({ user, film, seen, stars }) => `${user},${film},${seen.toISOString()},${stars}`).join('\n')}\n`
const table = () =>
  textTable([
    {
      name: 't.csv',
      async *open() {
        yield new TextEncoder().encode(csv)
      },
    },
  ])
async function* later<T>(list: Iterable<T>): AsyncGenerator<T> {
  for (const row of list) yield row
}

describe('rows of a program', () => {
  it.each([
    ['labels', { modes: ['user', 'film'], value: 'stars' }],
    ['times, binned', { modes: ['user', 'film', 'week(seen)'], value: 'stars' }],
    ['counts', { modes: ['user', 'week(seen)'] }],
    ['raw indices', { modes: ['raw:user', 'film'], value: 'stars' }],
  ])('rows of a program give the same tensor as a CSV table of them: %s', async (_, options) => {
    const expected = await readRows(await table(), options)
    expect(await tensorFromRecords(rows, options)).toEqual(expected)
    expect(await tensorFromRecords(later(rows), options)).toEqual(expected)
  })

  it('rows of a program may come in any number, and are numbered on', async () => {
    function* many() {
      for (let i = 0; i < 20_000; i++) yield { a: i % 200, b: Math.floor(i / 200), x: 1 }
      yield { a: 3, b: 4, x: 'wrong' }
    }
    const asked = { modes: ['a', 'b'], value: 'x' }
    await expect(tensorFromRecords(later(many()), asked)).rejects.toThrow('row 20001: the value x is "wrong"')
  })

  it('rows of a program with a missing property are left out and reported', async () => {
    const said: string[] = []
    const gaps = [
      ...rows,
      { user: 9, film: null, stars: 1 },
      { user: 9, film: 'Solaris', stars: NaN },
      { film: 'x' },
    ]
    const tensor = await tensorFromRecords(gaps, {
      modes: ['user', 'film'],
      value: 'stars',
      onRemark: ({ text }) => said.push(text),
    })
    expect(tensor.values).toHaveLength(3)
    expect(said.join()).toContain('3 rows are left out')
  })

  it.each<[string, unknown, string]>([
    ['nothing', [], 'There are no rows'],
    ['null', null, 'must be a list or another iterable'],
    ['a text', 'ab', 'must be a list or another iterable'],
    ['lists', [[1, 2, 3]], 'Row 1 is a list'],
    ['numbers', [rows[0], 3], 'Row 2 is the number 3'],
    ['objects within', [{ user: {}, film: 1, stars: 1 }], 'Row 1: user is an object'],
    [
      'dates that are none',
      [{ user: new Date('x'), film: 1, stars: 1 }],
      'Row 1: user is a date that is none',
    ],
    ['other properties', [{ a: 1, b: 2 }], 'there is no column "stars"'],
    ['the same cell twice', [rows[0], rows[0]], "merge: 'sum'"],
    ['negative values', [{ user: 1, film: 1, stars: -1 }], "negative: 'keep'"],
  ])('rows of a program are refused in a sentence: %s', async (_, odd, message) => {
    await expect(
      tensorFromRecords(odd as object[] as never, { modes: ['user', 'film'], value: 'stars' }),
    ).rejects.toThrow(
      expect.objectContaining({ name: 'InputError', message: expect.stringContaining(message) }),
    )
  })
})
