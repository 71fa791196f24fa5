/** Random small tensors with labels as awkward as people make them. */
import fc from 'fast-check'
import type { SparseTensor } from '#lacuna/tensor/index.js'

export const awkwardLabels = [
  '',
  ' ',
  ' a',
  'a ',
  'a,b',
  '"',
  '""',
  'say "hi"',
  'two\nlines',
  'cr\r\nlf',
  'tab\there',
  '#',
  '# lacuna {',
  '%',
  "it's",
  '01',
  '1',
  '1e3',
  '1000',
  '-0',
  '0.10',
  'NaN',
  'null',
  'NULL',
  'true',
  '2020-01-01',
  'ä',
  '漢字',
  '🙂',
  'e\u0301',
  ';',
  '::',
  '|',
  '\\',
  '\u2028',
]

const label = fc.oneof(
  fc.constantFrom(...awkwardLabels),
  fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !text.includes('\0')),
)

/** Float32 values of every size that is not negative. */
export const float32 = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.float({ min: 0, noNaN: true, noDefaultInfinity: true }).map(Math.fround).map(Math.abs),
)

export interface LabelledOptions {
  /** Whether modes may go without labels; true by default. */
  unlabelled?: boolean
  /** Whether modes have names; false by default. */
  named?: boolean
}

/** Distinct coordinates; rows without entries occur. */
export function labelledTensor({
  unlabelled = true,
  named = false,
}: LabelledOptions = {}): fc.Arbitrary<SparseTensor> {
  return fc
    .array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 4 })
    .chain((dims) =>
      fc.record({
        dims: fc.constant(dims),
        labels: fc.tuple(
          ...dims.map((dim) => {
            const labels = fc.uniqueArray(label, { minLength: dim, maxLength: dim })
            return unlabelled ? fc.option(labels, { nil: undefined }) : labels
          }),
        ),
        entries: fc.uniqueArray(
          fc.record({ at: fc.tuple(...dims.map((dim) => fc.nat(dim - 1))), x: float32 }),
          {
            minLength: 1,
            maxLength: 20,
            selector: ({ at }) => at.join(),
          },
        ),
      }),
    )
    .map(({ dims, labels, entries }) => ({
      dims,
      indices: dims.map((_, mode) => Uint32Array.from(entries, ({ at }) => at[mode])),
      values: Float32Array.from(entries, ({ x }) => x),
      ...(labels.some(Boolean) && { labels }),
      ...(named && { modes: dims.map((_, mode) => ({ name: `column ${mode}` })) }),
    }))
}

/** The entries by their labels (or indices from 1), with the bits of their values: what any format must keep. */
export function byLabels({ indices, values, labels }: SparseTensor): Map<string, number> {
  const bits = new Uint32Array(Float32Array.from(values).buffer)
  return new Map(
    Array.from(values, (_, e) => [
      JSON.stringify(indices.map((column, mode) => labels?.[mode]?.[column[e]] ?? String(column[e] + 1))),
      bits[e],
    ]),
  )
}
