import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { zipSync } from 'fflate'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unzip } from '#cli/datasets/unzip.ts'
import { InputError } from '#lacuna/base/inputError.js'
import { sentence } from '../../lacuna/io/pieces.ts'
import { checkProperty } from '../../properties.ts'

let folder = ''
const at = (name: string) => join(folder, name)
const put = (bytes: Uint8Array) => writeFileSync(at('a.zip'), bytes)
const unpack = (wanted: Record<string, string>) => unzip(at('a.zip'), folder, wanted)
const text = (s: string) => new TextEncoder().encode(s)
const numbers = text(Array.from({ length: 50_000 }, (_, i) => `${i}::${i * 7}\n`).join(''))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-unzip-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('unzip writes the wanted members, deflated or stored, and no others', async () => {
  put(
    zipSync({
      'ml/ratings.dat': [numbers, { level: 6 }],
      'ml/README': [text('hello'), { level: 0 }],
      'ml/x': text(''),
    }),
  )
  await unpack({ 'ml/ratings.dat': 'ratings.dat', 'ml/README': 'README.txt' })
  expect(readFileSync(at('ratings.dat')).equals(numbers)).toBe(true)
  expect(readFileSync(at('README.txt'), 'utf8')).toBe('hello')
  expect(readdirSync(folder).sort()).toEqual(['README.txt', 'a.zip', 'ratings.dat'])
  expect(await sentence(unpack({ 'ml/gone': 'gone' }))).toMatch(/there is no ml\/gone in it/)
})

test.each(['../ratings.dat', '/etc/ratings.dat', 'a/../../b', 'C:\\x', '..\\x'])(
  'a zip with a member %s is refused, and nothing is written',
  async (name) => {
    put(zipSync({ [name]: text('x'), ok: text('fine') }))
    expect(await sentence(unpack({ ok: 'ok', [name]: 'y' }))).toMatch(/points outside the folder/)
    expect(readdirSync(folder)).toEqual(['a.zip'])
    expect(existsSync(join(folder, '..', 'ratings.dat'))).toBe(false)
  },
)

test('a zip bomb is refused by its claimed size, and stopped if it unpacks to more than it claims', async () => {
  const bomb = zipSync({ zeros: [new Uint8Array(50_000_000), { level: 9 }] })
  put(bomb)
  expect(await sentence(unpack({ zeros: 'zeros' }))).toMatch(/claim to unpack to 50000000/)
  const view = new DataView(bomb.buffer, bomb.byteOffset)
  let directory = bomb.length - 22
  while (view.getUint32(directory, true) !== 0x02014b50) directory--
  view.setUint32(directory + 24, 1000, true) // its size, says the directory
  put(bomb)
  expect(await sentence(unpack({ zeros: 'zeros' }))).toMatch(/truncated or damaged/)
  expect(readdirSync(folder)).toEqual(['a.zip'])
})

test('a zip cut off or changed anywhere gives one sentence or the right file, never another', async () => {
  const zip = zipSync({ 'ml/u.data': [numbers.subarray(0, 20_000), { level: 6 }] })
  const damage = fc.record({
    where: fc.double({ min: 0, max: 0.999, noNaN: true }),
    cut: fc.boolean(),
    flip: fc.integer({ min: 1, max: 255 }),
  })
  await checkProperty(
    fc.asyncProperty(damage, async ({ where, cut, flip }) => {
      const place = Math.floor(where * zip.length)
      const bytes = zip.slice(0, cut ? place : zip.length)
      if (!cut) bytes[place] ^= flip
      put(bytes)
      rmSync(at('u.data'), { force: true })
      const outcome = await unpack({ 'ml/u.data': 'u.data' }).then(
        () => 'unpacked',
        (e) => e,
      )
      if (outcome === 'unpacked')
        expect(readFileSync(at('u.data')).equals(numbers.subarray(0, 20_000))).toBe(true)
      else {
        expect(outcome).toBeInstanceOf(InputError)
        expect(readdirSync(folder)).toEqual(['a.zip'])
      }
    }),
    { seed: 1, numRuns: 150 },
  )
})
