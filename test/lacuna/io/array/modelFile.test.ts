import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { decodeModel, decodeNpz, encodeModel, encodeNpz, type NpzEntries } from '#lacuna/io/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { checkProperty } from '../../../properties.ts'
import { bits } from '../pieces.ts'

const model = new CpModel({
  dims: [2, 3],
  rank: 2,
  factors: [Float32Array.of(1, 2, 3, 0.1), Float32Array.of(0, 1, 2, 3, 4, 5)],
  labels: [undefined, ['a', 'ä', '"']],
  modes: [{ name: 'userId' }, { name: 'week(at)', type: 'DATE' }],
  training: { solver: 'fast', rank: 2, seed: 7, errors: [0.5, 0.25] },
})

/** One that also says what it has seen of each row, and what it has learned of rows. */
const knowing = new CpModel({
  ...model.fields,
  observed: {
    ...{ entries: 5, min: 0.5, max: 5, mean: 3.25 },
    counts: [Uint32Array.of(2, 3), Uint32Array.of(1, 0, 4)],
    means: [Float32Array.of(1.5, 2.5), Float32Array.of(1, 0, 3)],
  },
  prior: {
    kind: 'learned',
    ...{ sigma2: 0.25, noise: [0.5, 0.125, 0], least: 0.0625 },
    means: [Float32Array.of(1, 2), Float32Array.of(0, 0.5)],
    precisions: [Float32Array.of(2, -0.5, -0.5, 3), Float32Array.of(1, 0, 0, 1)],
  },
})

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-model-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const python = (script: string, ...args: string[]) =>
  execFileSync('/usr/bin/python3', ['-c', script, ...args], { encoding: 'utf8' })

test('a model is read as it was written', () => {
  const shapes = fc.record({
    dims: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 5 }),
    rank: fc.integer({ min: 1, max: 5 }),
  })
  checkProperty(
    fc.property(shapes, fc.nat(), ({ dims, rank }, salt) => {
      const factors = dims.map((dim) =>
        Float32Array.from({ length: dim * rank }, (_, i) => Math.abs(Math.sin(salt + i))),
      )
      const back = decodeModel(encodeModel(new CpModel({ dims, rank, factors })), 'm.npz')
      expect(back.dims).toEqual(dims)
      expect(back.rank).toBe(rank)
      expect(back.factors.map(bits)).toEqual(factors.map(bits))
      expect(back.labels).toBeUndefined()
    }),
    { seed: 1, numRuns: 50 },
  )
  expect(decodeModel(encodeModel(model), 'm.npz')).toEqual(model)
  const back = decodeModel(encodeModel(knowing), 'm.npz')
  expect(back.observed).toEqual(knowing.observed)
  expect(back.prior).toEqual(knowing.prior)
  expect(back.range).toEqual([0.5, 5])
})

test('fields that a model file of an older version lacks are undefined', () => {
  const back = decodeModel(encodeModel(model), 'm.npz')
  expect([back.observed, back.prior, back.range]).toEqual([undefined, undefined, undefined])
})

test('the same model gives the same bytes at any time', () => {
  const first = encodeModel(model)
  vi.useFakeTimers({ now: new Date(2030, 1, 1), toFake: ['Date'] })
  expect(encodeModel(model)).toEqual(first)
  vi.useRealTimers()
})

test('NumPy reads the factors of a model', () => {
  const path = join(folder, 'm.npz')
  writeFileSync(path, encodeModel(model))
  const script = `import sys, json, numpy
f = numpy.load(sys.argv[1])
print(json.dumps([[f[k].dtype.str, list(f[k].shape), [float(x) for x in f[k].ravel()]] for k in ('factor_1', 'factor_2')]))`
  expect(JSON.parse(python(script, path))).toEqual(
    model.factors.map((factor, mode) => ['<f4', [model.dims[mode], 2], [...factor]]),
  )
})

test.each(['savez', 'savez_compressed'])('a model that numpy.%s wrote is read', (save) => {
  const path = join(folder, `${save}.npz`)
  const script = `import sys, numpy
a = numpy.arange(6, dtype='<f8').reshape(2, 3)
numpy.${save}(sys.argv[1], c=a, f=numpy.asfortranarray(a), i=numpy.array([-1, 2**40]), zero=numpy.array(5, dtype='u1'), big=numpy.ones(9999, dtype='<f4'))`
  python(script, path)
  const entries = decodeNpz(readFileSync(path), path)
  const a = { shape: [2, 3], data: Float64Array.of(0, 1, 2, 3, 4, 5) }
  expect(entries).toEqual({
    'c.npy': a,
    'f.npy': a,
    'i.npy': { shape: [2], data: BigInt64Array.of(-1n, 2n ** 40n) },
    'zero.npy': { shape: [], data: Uint8Array.of(5) },
    'big.npy': { shape: [9999], data: new Float32Array(9999).fill(1) },
  })
})

test('an .npz entry that is no array is decoded as bytes', () => {
  const entries = { 'readme.txt': Uint8Array.of(1, 2, 3), 'x.npy': { shape: [1], data: Float32Array.of(4) } }
  expect(decodeNpz(encodeNpz(entries), 'a.npz')).toEqual(entries)
})

describe('a wrong model file gets its own sentence', () => {
  /** The model's file with its metadata and entries changed. */
  function changed(metadata: object, entries: NpzEntries = {}, without?: string): Uint8Array {
    const all = { ...decodeNpz(encodeModel(knowing), 'm.npz') }
    const json = JSON.parse(new TextDecoder().decode(all['metadata.json'] as Uint8Array))
    all['metadata.json'] = new TextEncoder().encode(JSON.stringify({ ...json, ...metadata }))
    Object.assign(all, entries)
    if (without) delete all[without]
    return encodeNpz(all)
  }
  const factor = (data: Float32Array | Float64Array, shape: number[]) =>
    changed({}, { 'factor_2.npy': { shape, data } })
  const last = Buffer.from(encodeModel(model)).indexOf(Buffer.from(Float32Array.of(4, 5).buffer))
  const flipOneBitOfTheLastNumber = (byte: number, at: number) => (at === last + 4 ? byte ^ 1 : byte)
  const text = (t: string) => new TextEncoder().encode(t)

  test.each<[string, () => Uint8Array, string]>([
    ['no zip', () => text('1 1 1\n'), 'm.npz: this is not a zip file'],
    ['nothing', () => new Uint8Array(0), 'm.npz: this is not a zip file'],
    [
      'a truncated zip',
      () => encodeModel(model).subarray(0, 300),
      'm.npz: the zip file is truncated or damaged',
    ],
    [
      'a zip cut by a byte',
      () => encodeModel(model).subarray(0, -1),
      'm.npz: the zip file is truncated or damaged',
    ],
    [
      'a flipped bit',
      () => encodeModel(model).map(flipOneBitOfTheLastNumber),
      'm.npz: the zip file is truncated or damaged',
    ],
    [
      'no metadata',
      () => changed({}, {}, 'metadata.json'),
      'm.npz: there is no metadata.json, so this is no Lacuna model',
    ],
    [
      'metadata that is not JSON',
      () => changed({}, { 'metadata.json': text('{') }),
      'm.npz: metadata.json is not a JSON object',
    ],
    [
      'metadata that is a list',
      () => changed({}, { 'metadata.json': text('[]') }),
      'm.npz: metadata.json is not a JSON object',
    ],
    [
      'another format',
      () => changed({ format: 'other' }),
      'm.npz: the format is "other", not "lacuna-model"',
    ],
    [
      'a newer version',
      () => changed({ version: 5 }),
      'm.npz: the model has version 5, but this Lacuna reads up to version 4',
    ],
    [
      'the version of models with a link without one',
      () => changed({ version: 4 }),
      'm.npz: the link in metadata.json cannot be read',
    ],
    [
      'a link without a name',
      () => changed({ version: 4, link: { variance: [0, 0, 0], least: 0, mean: 1 } }),
      'm.npz: the link in metadata.json cannot be read',
    ],
    [
      'a link of another name',
      () => changed({ version: 4, link: { name: 'cube', variance: [0, 0, 0], least: 0, mean: 1 } }),
      'm.npz: What the model says of its link is not valid.',
    ],
    [
      'the version of ensembles without members',
      () => changed({ version: 3 }),
      'm.npz: the members in metadata.json cannot be read',
    ],
    ['no version', () => changed({ version: null }), 'm.npz: the version null is not a whole number from 1.'],
    ['dims that are none', () => changed({ dims: '2,3' }), 'm.npz: the dims in metadata.json cannot be read'],
    ['a rank that is none', () => changed({ rank: '2' }), 'm.npz: the rank in metadata.json cannot be read'],
    [
      'modes that are none',
      () => changed({ modes: [{ name: 1 }] }),
      'm.npz: the modes in metadata.json cannot be read',
    ],
    [
      'labels that are none',
      () => changed({ labels: [[1, 2], null] }),
      'm.npz: the labels in metadata.json cannot be read',
    ],
    [
      'a training record that is none',
      () => changed({ training: 3 }),
      'm.npz: the training record in metadata.json cannot be read',
    ],
    ['a missing factor', () => changed({}, {}, 'factor_2.npy'), 'm.npz: factor_2.npy is missing'],
    [
      'a factor of another shape',
      () => factor(new Float32Array(6), [2, 3]),
      'm.npz: factor_2.npy has the shape (2, 3), but the metadata says (3, 2).',
    ],
    [
      'a factor of another type',
      () => factor(new Float64Array(6), [3, 2]),
      'm.npz: factor_2.npy does not hold float32 numbers',
    ],
    [
      'a negative factor',
      () => factor(new Float32Array(6).fill(-1), [3, 2]),
      'm.npz: Factor 2 has the value -1 in row 1',
    ],
    [
      'what was seen, without its numbers',
      () => changed({ observed: { entries: 5, min: 'x', max: 5, mean: 3 } }),
      'm.npz: the summary of entries in metadata.json cannot be read',
    ],
    [
      'counts that are missing',
      () => changed({}, {}, 'entries_2.npy'),
      'm.npz: the entries in metadata.json cannot be read',
    ],
    [
      'counts of another size',
      () => changed({}, { 'entries_2.npy': { shape: [2], data: Uint32Array.of(1, 2) } }),
      'm.npz: What the model says of the entries that it has seen does not fit its sizes.',
    ],
    ['a prior of no kind', () => changed({ prior: { kind: 'x' } }), 'm.npz: the prior in metadata.json'],
    [
      'a prior that is not finite',
      () => changed({}, { 'prior_precision_1.npy': { shape: [2, 2], data: new Float32Array(4).fill(NaN) } }),
      'm.npz: What the model says of its prior does not fit its rank and sizes.',
    ],
    [
      'a broken array',
      () => changed({}, { 'factor_1.npy': text('x') }),
      'm.npz, factor_1.npy: this is not a .npy array',
    ],
  ])('a wrong model file is refused: %s', (_, make, message) => {
    expect(() => decodeModel(make(), 'm.npz')).toThrow(message)
  })
})
