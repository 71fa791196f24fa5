import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDecimal } from '#lacuna/io/text/decimal.js'
import { LONGEST_FLOAT32, writeFloat32, writeWhole } from '#lacuna/io/text/writeNumber.js'
import { checkProperty } from '../../../properties.ts'

function parse(text: string): number {
  const bytes = new TextEncoder().encode(`${text}\n`)
  return parseDecimal(bytes, 0, bytes.length - 1)
}

function write(x: number): string {
  const bytes = new Uint8Array(64)
  return new TextDecoder().decode(bytes.subarray(0, writeFloat32(bytes, 0, x)))
}

const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength })

/** Any float32 but NaN and the infinities, every bit pattern alike: subnormal, tiny, huge, negative. */
const float32s = fc
  .integer({ min: 0, max: 2 ** 32 - 1 })
  .map((word) => new Float32Array(Uint32Array.of(word).buffer)[0])
  .filter(Number.isFinite)

test('decimal text is read as Math.fround(Number(text)), to the bit', () => {
  const text = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits(25),
      fc.option(digits(25)),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.integer({ min: 0, max: 60 }))),
    )
    .filter(([, whole, fraction]) => whole.length + (fraction?.length ?? 0) > 0)
    .map(
      ([sign, whole, fraction, e]) =>
        sign + whole + (fraction === null ? '' : `.${fraction}`) + (e ? e.join('') : ''),
    )
  checkProperty(
    fc.property(text, (t) => {
      expect(parse(t), t).toBe(Math.fround(Number(t)))
    }),
    { seed: 1, numRuns: 5000 },
  )
})

test('text on the border between two float32 values is rounded as Number() and fround do', () => {
  checkProperty(
    fc.property(float32s, fc.integer({ min: 1, max: 21 }), (x, precision) => {
      const next = new Float32Array(
        Uint32Array.of(new Uint32Array(Float32Array.of(x).buffer)[0] + 1).buffer,
      )[0]
      const text = ((x + (Number.isFinite(next) ? next : x)) / 2).toPrecision(precision)
      expect(parse(text), text).toBe(Math.fround(Number(text)))
    }),
    { seed: 1, numRuns: 5000 },
  )
})

test.each([
  '',
  '.',
  '-',
  '+',
  'e5',
  '1e',
  '1e+',
  '0x10',
  '1_0',
  '1,5',
  '1.2.3',
  '--1',
  'nan',
  'Infinity',
  '1d5',
  '1 ',
  '٣',
])('%j is no decimal number', (text) => {
  expect(parse(text)).toBeNaN()
})

test('a float32 is written in at most 9 significant digits and read back with the same bits', () => {
  checkProperty(
    fc.property(float32s, (x) => {
      const text = write(x)
      expect(parse(text), text).toBe(x)
      expect(Math.fround(Number(text)), text).toBe(x)
      expect(text.length).toBeLessThanOrEqual(LONGEST_FLOAT32)
      expect(Number(text).toExponential().split('e')[0].replace(/\D/g, '').length).toBeLessThanOrEqual(9)
    }),
    { seed: 1, numRuns: 10_000 },
  )
})

test('values of ordinary size are read back with the same bits, next to powers of ten too', () => {
  const ordinary = fc.oneof(
    fc.float({ min: 0, max: 1000, noNaN: true }),
    fc.tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -3, max: 3 })).map(([e, ulps]) => {
      const word = new Uint32Array(Float32Array.of(10 ** e).buffer)[0] + ulps
      return new Float32Array(Uint32Array.of(word).buffer)[0]
    }),
  )
  checkProperty(
    fc.property(ordinary, (x) => {
      expect(parse(write(x)), write(x)).toBe(x)
    }),
    { seed: 1, numRuns: 5000 },
  )
})

test.each([
  [0, '0'],
  [-0, '-0'],
  [3, '3'],
  [0.5, '0.5'],
  [0.1, '0.1'],
  [-2.25, '-2.25'],
  [1.05, '1.05'],
  [16777216, '16777216'],
  [1e9, '1000000000'],
  [0.00001, '0.00001'],
  [1e-6, '1e-6'],
  [1.25e-30, '1.25e-30'],
  [2 ** -149, '1.401298e-45'],
  [3.4028234663852886e38, '3.4028235e38'],
])('the number %d is written shortly, as %s', (x, text) => {
  expect(write(Math.fround(x))).toBe(text)
})

test.each([0, 1, 9, 10, 99, 100, 999_999_999, 1_000_000_000, 2 ** 31, 2 ** 32 - 1])(
  'writeWhole writes the digits of %d',
  (n) => {
    const bytes = new Uint8Array(12)
    expect(new TextDecoder().decode(bytes.subarray(0, writeWhole(bytes, 0, n)))).toBe(String(n))
  },
)
