/** The readers of bytes hold on the stored corpus. New inputs are for npm run fuzz; npm test runs it for a minute beside the tests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCorpus } from './corpus.mjs'
import { fuzz, mutate, randomNumbers } from './fuzz.mjs'
import { makeReaders } from './readers.mjs'

const NAMES = [
  ...['tns', 'lines', 'csv', 'json', 'npy', 'npz', 'model', 'ensemble', 'checkpoint', 'search'],
  ...['gzip', 'zstd', 'parquet', 'image', 'mat', 'zarr', 'arrow', 'xlsx', 'session', 'unzip'],
]

let made: Awaited<ReturnType<typeof makeReaders>>
beforeAll(async () => {
  made = await makeReaders()
})
afterAll(() => made.close())

it('every reader is fuzzed', () => {
  expect(Object.keys(made.readers)).toEqual(NAMES)
})

describe('a reader returns or refuses in one sentence, and its variants agree', () => {
  it.each(NAMES)('%s', async (name) => {
    const { fault, inputs } = await fuzz(name, made.readers[name], {
      ...{ corpus: readCorpus(name), seconds: 0, seed: 1 },
    })
    const input = fault && Buffer.from(fault.input).toString('base64')
    expect(fault && { fault: fault.fault, input }).toBeUndefined()
    expect(inputs).toBeGreaterThan(readCorpus(name).length)
  })
})

describe('the fuzzer', () => {
  it('finds an input that fails, by way of inputs that reach new code', async () => {
    const read = (bytes: Uint8Array): number => {
      const text = Buffer.from(bytes).toString('latin1')
      if (text.includes('"')) throw new TypeError('a quote')
      return text.length
    }
    const { fault } = await fuzz(
      'fake',
      { read, seeds: [Buffer.from('a,b\n')] },
      {
        ...{ corpus: [], seconds: 20, seed: 1 },
      },
    )
    expect(fault?.fault).toMatch(/TypeError: a quote/)
  })

  it('finds variants that differ', async () => {
    const reader = {
      read: (bytes: Uint8Array) => bytes.length,
      variants: { other: (bytes: Uint8Array) => Math.min(bytes.length, 3) },
      seeds: [Buffer.from('ab')],
    }
    const { fault } = await fuzz('fake', reader, { corpus: [], seconds: 20, seed: 1 })
    expect(fault?.fault).toMatch(/other reads 3 where it reads/)
  })

  it('makes the same inputs from the same seed', () => {
    const make = () => {
      const random = randomNumbers(5)
      return Array.from({ length: 50 }, () =>
        mutate(Buffer.from('1 2 3\n4 5 6'), [Buffer.from('x')], random, ['t']),
      )
    }
    expect(make()).toEqual(make())
  })
})
