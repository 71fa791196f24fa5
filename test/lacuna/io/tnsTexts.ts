/** Random .tns text: what tries every way in which lines can be written, and end, and be wrong. */
import fc from 'fast-check'

const numbers = [
  ...[
    '0',
    '-0',
    '1',
    '4.5',
    '0.5',
    '123456.25',
    '1234567',
    '12345678',
    '1e-3',
    '+2',
    '2.',
    '.5',
    '1E5',
    '1e-45',
  ],
  ...['0.1234567890123456789', '3.4028235e38', '3.4028236e38', '1e39', '-1', '16777217', '0.000000123456789'],
  ...[
    '7.0064923216240854e-46',
    '9007199254740993',
    '1e22',
    '123456789012345678e-20',
    '00000000000000000001.5',
  ],
]
const index = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 40 }).map(String) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 2 ** 32 - 2 }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('000000000000000000000012', '12345678', '123456789', '4294967294'),
  },
)
const blank = fc.constantFrom(' ', ' ', ' ', '\t', '  ', ' \t ')
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...numbers) },
  { weight: 5, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true, min: 0 }).map(String) },
)
const entry = fc
  .tuple(
    fc.constantFrom('', '', '', ' ', '\t '),
    index,
    blank,
    index,
    blank,
    value,
    fc.constantFrom('', '', ' ', '\t'),
  )
  .map((words) => words.join(''))
/** Lines that are no entries, but no faults either. */
const between = fc.constantFrom(
  '',
  '',
  '# c',
  '%',
  '   ',
  '\t',
  ' # 1 1 1',
  '# lacuna {broken',
  '#\0\xff',
  '# x'.repeat(40),
)
/** Lines that spoil a file. */
const fault = fc.constantFrom(
  ...[
    '1 1',
    '1 1 1 1',
    '0 1 1',
    '-1 1 1',
    '1.5 1 1',
    '1 1 x',
    '1 1 1e99',
    '1 1 nan',
    '1 4294967295 1',
    '1 1 1,5',
  ],
  ...[
    '1 1 1 #',
    '1 \0 1',
    '\xff 1 1',
    '1 1 1\r2 2 2',
    '# a\rb',
    '1\v1 1',
    'x',
    '1 99999999999999999999999 1',
    '1 1 1e',
  ],
)
const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n')

/** Text of order 2; the more faults, the less likely it is good. */
export const tnsText = (faults: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('', '', '', '\ufeff', '# lacuna {"dims":[4294967294,4294967294]}\n', '\ufeff\n'),
      fc.array(
        fc.tuple(
          fc.oneof(
            { weight: 20, arbitrary: entry },
            { weight: 3, arbitrary: between },
            { weight: faults, arbitrary: fault },
          ),
          lineEnd,
        ),
        { minLength: 1, maxLength: 60 },
      ),
      fc.boolean(),
    )
    .map(([head, lines, isEnded]) => {
      const body = lines
        .map(([line, end], l) => (l === lines.length - 1 && !isEnded ? line : line + end))
        .join('')
      return head + body
    })

/** Any bytes behind a good line. */
export const tnsBytes: fc.Arbitrary<Uint8Array> = fc
  .array(
    fc.constantFrom(
      ...[...'0123456789  \n\n\n\r\t#%.-e'].map((c) => c.charCodeAt(0)),
      0,
      0xef,
      0xbb,
      0xbf,
      0xff,
    ),
  )
  .map((content) => Uint8Array.from([...Buffer.from('1 1 1\n'), ...content]))
