/** Reader and writer of results.json. */
import { formatResults, parseResults } from 'lacuna-figures/results'
import { expect, it } from 'vitest'
import { sampleResults } from '../cli/paper/sample.ts'

it('results.json is read back as it was written', () => {
  const results = sampleResults()
  expect(parseResults(formatResults(results))).toEqual(results)
})

it('results.json has a list of numbers on one line', () => {
  const line = formatResults(sampleResults())
    .split('\n')
    .find((line) => line.includes('"epoch": ['))
  expect(line?.trim()).toMatch(/^"epoch": \[1, 2, 3, .*\],$/)
})

/** Reads the results after one of their values was replaced. */
function readWith(path: (string | number)[], value: unknown): void {
  const results = structuredClone(sampleResults())
  let at = results as unknown as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as typeof at
  at[path.at(-1)!] = value
  parseResults(JSON.stringify(results), 'mine.json')
}

const aCurve = ['convergence', 'problems', 1, 'series', 0, 'trials', 1, 'curve']
const aTime = ['timing', 'problems', 0, 'series', 2, 'seconds', 0]

it.each([
  ['cut off', () => parseResults('{"format": "lacuna-pa', 'mine.json'), /^mine\.json: this is no JSON/],
  ['of something else', () => parseResults('{"a": 1}', 'mine.json'), /^mine\.json: these are no results/],
  ['null', () => parseResults('null', 'mine.json'), /^mine\.json: these are no results/],
  ['of another version', () => readWith(['version'], 7), /version 7 .* reads version 1/],
  [
    'without a curve',
    () => readWith(aCurve, undefined),
    /convergence\.problems\[1\]\.series\[0\]\.trials\[1\]\.curve is not an object/,
  ],
  [
    'with a word for a number',
    () => readWith(aTime, 'fast'),
    /timing\.problems\[0\]\.series\[2\]\.seconds\[0\] is not a number/,
  ],
  ['with null for a number', () => readWith(['seed'], null), /seed is not a number/],
])('the reader of results.json explains what is wrong with results %s', (_, parse, message) => {
  expect(parse).toThrow(
    expect.objectContaining({ name: 'InputError', message: expect.stringMatching(message) }),
  )
})

it('results.json may contain results of some figures only', () => {
  const { image, timing, ...rest } = sampleResults()
  expect(parseResults(formatResults(rest))).toEqual(rest)
})
