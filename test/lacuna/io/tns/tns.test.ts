import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readCoordinates, readTns, writeTns } from '#lacuna/io/tns/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'
import { checkProperty } from '../../../properties.ts'
import { bits, join, pieces, rejection } from '../pieces.ts'

const float32s = fc
  .integer({ min: 0, max: 2 ** 32 - 1 })
  .map((word) => new Float32Array(Uint32Array.of(word).buffer)[0])
  .filter(Number.isFinite)

/** Tensors of order 2 to 6 with any finite float32 values and indices up to the largest there can be. */
const tensors: fc.Arbitrary<SparseTensor> = fc.integer({ min: 2, max: 6 }).chain((order) =>
  fc
    .uniqueArray(
      fc.tuple(
        fc.array(fc.oneof(fc.nat(20), fc.nat(2 ** 32 - 3)), { minLength: order, maxLength: order }),
        float32s,
      ),
      { selector: ([coordinate]) => coordinate.join(), minLength: 1, maxLength: 30 },
    )
    .map((entries) => {
      const indices = Array.from({ length: order }, (_, mode) => Uint32Array.from(entries, ([c]) => c[mode]))
      return {
        dims: indices.map((column) => Math.max(...column) + 1),
        indices,
        values: Float32Array.from(entries, ([, x]) => x),
      }
    }),
)

const read = (content: string | Uint8Array, options = {}) =>
  readTns(pieces(content), { name: 'a.tns', ...options })

describe('readTns', () => {
  test('readTns reads what writeTns wrote, bit by bit', async () => {
    await checkProperty(
      fc.asyncProperty(tensors, async (tensor) => {
        const back = await read(join(writeTns(tensor)), { negative: 'keep' })
        expect(back.dims).toEqual(tensor.dims)
        expect(back.indices.map((column) => [...column])).toEqual(tensor.indices.map((column) => [...column]))
        expect(bits(back.values)).toEqual(bits(tensor.values))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('writeTns writes many chunks that join to the same tensor', async () => {
    const n = 40_000
    const tensor = {
      dims: [n, 7],
      indices: [
        Uint32Array.from({ length: n }, (_, e) => e),
        Uint32Array.from({ length: n }, (_, e) => e % 7),
      ],
      values: Float32Array.from({ length: n }, (_, e) => 1 / (e + 1)),
    }
    const chunks = [...writeTns(tensor)]
    expect(chunks.length).toBeGreaterThan(2)
    async function* source() {
      yield* chunks
    }
    const back = await readTns(source(), { name: 'a.tns', dims: [n, 7] })
    expect(bits(back.values)).toEqual(bits(tensor.values))
    expect([...back.indices[0]]).toEqual([...tensor.indices[0]])
  })

  test('readTns does not depend on how the bytes are cut into pieces', async () => {
    const text = '\ufeff# head\n\n1 2 3.5\r\n  12\t1 \t 1e-3  \n%x\n3 3 0.1234567890123456789\n  \n4 400 7'
    const whole = await read(text)
    expect([...whole.values]).toEqual([3.5, 1e-3, Number('0.1234567890123456789'), 7].map(Math.fround))
    await checkProperty(
      fc.asyncProperty(fc.array(fc.nat(9), { maxLength: 60 }), async (lengths) => {
        expect(await readTns(pieces(text, lengths), { name: 'a.tns' })).toEqual(whole)
      }),
      { seed: 1, numRuns: 200 },
    )
  })

  test('readTns finds a fault with its line, however the bytes are cut', async () => {
    const text = '# head\n1 1 1\n\n2 2 2\n3 x 3\n'
    await checkProperty(
      fc.asyncProperty(fc.array(fc.nat(9), { maxLength: 20 }), async (lengths) => {
        const error = await rejection(readTns(pieces(text, lengths), { name: 'a.tns' }))
        expect(error.message).toMatch(/^a\.tns, line 5: the index "x" of mode 2 is not a number/)
      }),
      { seed: 1, numRuns: 100 },
    )
  })

  test('readTns enlarges columns when the size hint is too low, and trims them when it is too high', async () => {
    const text = Array.from({ length: 5000 }, (_, e) => `${e + 1} 1 ${e}\n`).join('')
    for (const sizeHint of [undefined, 10, 1e6]) {
      const { indices, values } = await read(text, { sizeHint })
      expect(values.length).toBe(5000)
      expect(indices[1].length).toBe(5000)
      expect(values[4999]).toBe(4999)
      expect(indices[0][4999]).toBe(4999)
    }
  })

  test('readTns applies policies and sizes', async () => {
    expect([...(await read('1 1 -2\n1 2 3\n', { negative: 'clip' })).values]).toEqual([0, 3])
    expect([...(await read('1 1 2\n1 1 3\n1 2 1\n', { duplicates: 'sum' })).values]).toEqual([5, 1])
    expect((await read('1 1 2\n', { dims: [5, 6] })).dims).toEqual([5, 6])
  })

  test('readTns reports the bytes parsed so far', async () => {
    const seen: number[] = []
    await readTns(pieces('1 1 1\n2 2 2\n', [3, 4]), {
      name: 'a.tns',
      onProgress: (bytes) => seen.push(bytes),
    })
    expect(seen).toEqual([3, 7, 12])
  })
})

/** Broken files, each with what is said about it: file, line, fault and remedy. */
const broken: [string, string, string, object?][] = [
  ['an empty file', '', 'a.tns: the file is empty.'],
  [
    'comments only',
    '# a\n\n% b\n',
    'a.tns: there are no entries; give lines of indices and a value, like 1 1 2.5.',
  ],
  [
    'a word for a value',
    '1 1 1\n1 2 abc\n',
    'a.tns, line 2: the value "abc" is not a number; write it like 2, 0.25 or 1e-3.',
  ],
  [
    'a hexadecimal value',
    '1 1 0x10\n',
    'a.tns, line 1: the value "0x10" is not a number; write it like 2, 0.25 or 1e-3.',
  ],
  [
    'a decimal comma',
    '1 1 1,5\n',
    'a.tns, line 1: the value "1,5" is not a number; write it like 2, 0.25 or 1e-3.',
  ],
  [
    'NaN',
    '# c\n1 1 NaN\n',
    'a.tns, line 2: the value is "NaN", but observed values must be finite; leave unobserved entries out.',
  ],
  [
    'infinity',
    '1 1 -inf\n',
    'a.tns, line 1: the value is "-inf", but observed values must be finite; leave unobserved entries out.',
  ],
  [
    'a value beyond float32',
    '1 1 1\n\n2 2 1e39\n',
    'a.tns, line 3: the value "1e39" is too large for a float32; scale the values below 3.4e38.',
  ],
  [
    'a value beyond float64',
    '1 1 1e999\n',
    'a.tns, line 1: the value "1e999" is too large for a float32; scale the values below 3.4e38.',
  ],
  [
    'a negative value',
    '1 1 1\n#\n2 2 -1\n',
    "a.tns, line 3: the value -1 is negative; allow it with negative: 'keep' (noise around zero) or negative: 'clip' (to zero).",
  ],
  ['index 0', '1 1 1\n1 0 1\n', 'a.tns, line 2: the index "0" of mode 2 is zero; indices count from 1.'],
  [
    'a negative index',
    '-1 1 1\n',
    'a.tns, line 1: the index "-1" of mode 1 is negative; indices count from 1.',
  ],
  [
    'a fractional index',
    '1 1.5 1\n',
    'a.tns, line 1: the index "1.5" of mode 2 is not written as a whole number; write digits only.',
  ],
  [
    'a word for an index',
    'user item rating\n',
    'a.tns, line 1: the index "user" of mode 1 is not a number; write a whole number from 1.',
  ],
  [
    'an index beyond 32 bits',
    '1 4294967295 1\n',
    'a.tns, line 1: the index "4294967295" of mode 2 is too large; indices go up to 4294967294.',
  ],
  [
    'an index that wraps to a small one in 32 bits',
    '1 4294967297 1\n',
    'a.tns, line 1: the index "4294967297" of mode 2 is too large; indices go up to 4294967294.',
  ],
  [
    'an index of thousands of digits',
    `1 ${'9'.repeat(2000)} 1\n`,
    `a.tns, line 1: the index "${'9'.repeat(39)}…" of mode 2 is too large; indices go up to 4294967294.`,
  ],
  [
    'too few columns',
    '1 1 1 1\n1 1 1\n',
    'a.tns, line 2: 3 columns where the first entry has 4; give 3 indices and a value on every line.',
  ],
  [
    'too many columns',
    '1 1 1\n1 2 1 1\n',
    'a.tns, line 2: 4 columns where the first entry has 3; give 2 indices and a value on every line.',
  ],
  [
    'a line of one column',
    '1 1 1\n7\n',
    'a.tns, line 2: 1 column where the first entry has 3; give 2 indices and a value on every line.',
  ],
  [
    'no mode at all',
    '1 2\n',
    'a.tns, line 1: 2 columns; give at least two indices and a value, separated by blanks.',
  ],
  [
    'commas between columns',
    '1,2,3.5\n',
    'a.tns, line 1: 1 column; give at least two indices and a value, separated by blanks.',
  ],
  [
    'a comment behind an entry',
    '1 1 1 # one\n',
    'a.tns, line 1: the index "#" of mode 4 is not a number; write a whole number from 1.',
  ],
  [
    'an index beyond the sizes given',
    '1 1 1\n1 4 1\n',
    'a.tns, line 2: the index "4" of mode 2 is beyond its size 3 (counting from 1).',
    { dims: [3, 3] },
  ],
  [
    'another order than the sizes given',
    '1 1 1\n',
    'a.tns, line 1: 2 indices and a value, but 3 dims were given; give one size per mode.',
    { dims: [3, 3, 3] },
  ],
  [
    'duplicates',
    '# c\n1 2 1\n\n2 2 1\n1 2 5\n',
    "a.tns, line 5: coordinates (1, 2) were already given by a.tns, line 2; say how to merge duplicates with duplicates: 'sum', 'mean' or 'last'.",
  ],
  [
    'a binary file',
    '1 1 1\n1 \0 2\n',
    'a.tns, line 2: the byte 0 does not belong in a text file; give .tns text (or .tns.gz), not a binary or UTF-16 file.',
  ],
  [
    'a binary file from the start',
    '\x1f\x8b\x08\0\n',
    'a.tns, line 1: the byte 31 does not belong in a text file; give .tns text (or .tns.gz), not a binary or UTF-16 file.',
  ],
  [
    'old Macintosh line ends',
    '1 1 1\r2 2 2\r',
    "a.tns, line 1: a carriage return ends a line without a line feed, as on old Macintoshes; convert the file with tr '\\r' '\\n'.",
  ],
  [
    'old Macintosh line ends behind a comment',
    '# c\r1 1 1\r2 2 2\r',
    "a.tns, line 1: a carriage return ends a line without a line feed, as on old Macintoshes; convert the file with tr '\\r' '\\n'.",
  ],
  ['a line without end', `1 1 ${' '.repeat(2 ** 20)}`, 'a.tns, line 1: the line has no end; give .tns text.'],
  [
    'megabytes of zeros',
    '\0'.repeat(2 ** 20 + 1),
    'a.tns, line 1: the byte 0 does not belong in a text file; give .tns text (or .tns.gz), not a binary or UTF-16 file.',
  ],
]

describe('a broken file gets its own sentence', () => {
  test.each(broken)('readTns explains %s', async (_, text, message, options) => {
    const error = await rejection(read(text, options))
    expect(error.name).toBe('InputError')
    expect(error.message).toBe(message)
  })

  test('the line of a .tns fault is right behind thousands of comments', async () => {
    const text = Array.from({ length: 3000 }, (_, e) =>
      e % 3 === 0 ? '# c\n' : e % 3 === 1 ? '\n' : `${e} 1 1\n`,
    ).join('')
    const error = await rejection(read(`${text}2 1 1\n`))
    expect(error.message).toContain(
      'a.tns, line 3001: coordinates (2, 1) were already given by a.tns, line 3;',
    )
  })
})

describe('readCoordinates', () => {
  const coordinates = (text: string) =>
    readCoordinates(pieces(text), { name: 'q.tns', order: 2, dims: [3, 4] })

  test('readCoordinates reads indices with or without values, repeated or not', async () => {
    expect(await coordinates('# q\n1 2\n3 4\r\n1 2')).toEqual({
      indices: [Uint32Array.of(0, 2, 0), Uint32Array.of(1, 3, 1)],
    })
    expect(await coordinates('1 2 0.5\n1 2 -1\n')).toEqual({
      indices: [Uint32Array.of(0, 0), Uint32Array.of(1, 1)],
      values: Float32Array.of(0.5, -1),
    })
  })

  test.each([
    ['', 'q.tns: the file is empty.'],
    ['#\n', 'q.tns: there are no coordinates; give lines of 2 indices.'],
    ['1\n', 'q.tns, line 1: 1 column; give 2 indices, or 2 indices and a value, separated by blanks.'],
    ['1 1\n1 1 1\n', 'q.tns, line 2: 3 columns where the first entry has 2; give 2 indices on every line.'],
    [
      '1 1 1\n1 1\n',
      'q.tns, line 2: 2 columns where the first entry has 3; give 2 indices and a value on every line.',
    ],
    ['1 1\n\n4 1\n', 'q.tns, line 3: the index "4" of mode 1 is beyond its size 3 (counting from 1).'],
    ['1 1\n1 0\n', 'q.tns, line 2: the index "0" of mode 2 is zero; indices count from 1.'],
  ])('readCoordinates refuses %j', async (text, message) => {
    expect((await rejection(coordinates(text))).message).toBe(message)
  })
})
