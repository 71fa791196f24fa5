/** Shares of an .npz are what one process reads, faults included. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTensor, synthetic, writeTensor } from '#lacuna/index.js'
import { kindOfShards, type ReadShardOptions, readNpzShare } from '#lacuna/io/drive/processes/index.js'
import { encodeNpy, encodeNpz, type NpzEntries } from '#lacuna/io/index.js'
import { agreed, entriesOf, inProcesses } from '../../../communicators.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-npz-'))
const at = (name: string): string => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))

const { tensor } = synthetic({ dims: [30, 20, 10], entries: 1000, rank: 2, seed: 1 })

/** What several processes read, and what one does: entries and all else, or a sentence. */
async function both(
  path: string,
  processes: number,
  options: ReadShardOptions = {},
): Promise<[unknown, unknown]> {
  expect(await kindOfShards([path], options)).toBe('npz')
  const shares = agreed(
    await inProcesses(processes, (communicator) => readNpzShare(communicator, path, options)),
  )
  const one = await readTensor(path, options).catch((error) => error.message as string)
  const told = (shares: string | Awaited<ReturnType<typeof readTensor>>[]): unknown => {
    if (typeof shares === 'string') return shares
    const [{ dims, labels, modes, valueName }] = shares
    return { dims, labels, modes, valueName, entries: entriesOf(shares) }
  }
  return [told(shares), told(typeof one === 'string' ? one : [one])]
}

const coo = (change: NpzEntries = {}): NpzEntries => {
  const { dims, indices, values } = tensor
  return {
    'coords.npy': {
      shape: [3, 1000],
      data: BigInt64Array.from(
        indices.flatMap((column) => [...column]),
        BigInt,
      ),
    },
    'data.npy': { shape: [1000], data: Float64Array.from(values) },
    'shape.npy': { shape: [3], data: BigInt64Array.from(dims, BigInt) },
    'extra.npy': { shape: [500], data: new Float32Array(500) },
    ...change,
  }
}

describe('shares of an .npz', () => {
  beforeAll(async () => {
    const labels = [Array.from({ length: 30 }, (_, i) => `user ${i}`), undefined, undefined]
    await writeTensor(at('own.npz'), { ...tensor, labels })
    writeFileSync(at('coo.npz'), encodeNpz(coo()))
  })

  it.each([1, 2, 3, 7])('are, of %i processes, together what one process reads', async (processes) => {
    const [many, one] = await both(at('own.npz'), processes)
    expect(many).toEqual(one)
    const [others, other] = await both(at('coo.npz'), processes)
    expect(others).toEqual(other)
  })

  it('come from what NumPy saves, in any order and type; what it packs is left to one process', async () => {
    const script = `import sys, numpy as n
d = sys.argv[1]; r = n.random.default_rng(1); c = n.unique(r.integers(0, 40, (3, 500)), axis=1)
x = r.random(c.shape[1]); s = n.array([40, 40, 40])
n.savez(d + '/c.npz', coords=c, data=x, shape=s)
n.savez(d + '/f.npz', coords=n.asfortranarray(c).astype('>i2'), data=x.astype('<f2'))
n.savez(d + '/u.npz', coords=c.astype('u1'), data=x.astype('>f4'), shape=s, fill_value=n.float64(0))
n.savez_compressed(d + '/p.npz', coords=c, data=x, shape=s)
# As if the limits of zip were lower: sizes and places are where those of large files are.
import zipfile
zipfile.ZIP64_LIMIT = 500
n.savez(d + '/large.npz', coords=c, data=x, shape=s)`
    execFileSync('/usr/bin/python3', ['-c', script, folder])
    for (const name of ['c.npz', 'f.npz', 'u.npz', 'large.npz']) {
      const [many, one] = await both(at(name), 3)
      expect(many, name).toEqual(one)
    }
    expect(await kindOfShards([at('p.npz')])).toBe('')
  })

  const numbers = (change: (all: number[]) => void) => {
    const all = [...tensor.values]
    change(all)
    return { shape: [1000], data: Float64Array.from(all) }
  }
  const coordinates = (change: (all: bigint[]) => void) => {
    const all = tensor.indices.flatMap((column) => [...column]).map(BigInt)
    change(all)
    return { shape: [3, 1000], data: BigInt64Array.from(all) }
  }
  /** Entries that have the coordinates of the first ones. */
  const again = (...entries: number[]) =>
    coordinates((all) => {
      for (const mode of [0, 1, 2])
        for (const [i, e] of entries.entries()) all[1000 * mode + e] = all[1000 * mode + i]
    })
  const broken: [string, NpzEntries, ReadShardOptions][] = [
    ['a negative value', { 'data.npy': numbers((all) => all.fill(-1, 700, 900)) }, {}],
    ['NaN', { 'data.npy': numbers((all) => all.fill(NaN, 990)) }, {}],
    [
      'an index below 0 in two modes, the later one first',
      { 'coords.npy': coordinates((all) => all.fill(-1n, 2001, 2003).fill(-2n, 900, 901)) },
      {},
    ],
    [
      'indices beyond the shape, the later mode first',
      { 'coords.npy': coordinates((all) => all.fill(99n, 2001, 2003).fill(77n, 900, 901)) },
      {},
    ],
    ['the same coordinates twice', { 'coords.npy': again(999, 950, 900, 850, 800, 750, 700, 350) }, {}],
    [
      'a sum that is too large',
      {
        'coords.npy': again(900),
        'data.npy': numbers((all) => all.fill(3e38, 0, 1).fill(3e38, 900, 901)),
      },
      { duplicates: 'sum' },
    ],
  ]
  it.each(broken)('are refused for %s as the whole is', async (_, change, options) => {
    writeFileSync(at('broken.npz'), encodeNpz(coo(change)))
    const [many, one] = await both(at('broken.npz'), 3, options)
    expect(one).toBeTypeOf('string')
    expect(many).toBe(one)
  })

  it('are refused where a single bit is wrong, in any array, read or not', async () => {
    const sound = encodeNpz(coo())
    const text = Buffer.from(sound).toString('latin1')
    for (const [name, after] of [
      ['coords.npy', 12_345],
      ['data.npy', 4321],
      ['extra.npy', 1700],
      ['data.npy', 200],
    ] as const) {
      const bytes = sound.slice()
      bytes[text.indexOf(name) + after] ^= 4
      writeFileSync(at('damaged.npz'), bytes)
      const [many, one] = await both(at('damaged.npz'), 3)
      expect(one).toMatch(/truncated or damaged/)
      expect(many).toBe(one)
    }
  })

  it('fit the sizes that are given, and are merged and clipped as the whole is', async () => {
    const change = { 'coords.npy': again(900), 'data.npy': numbers((all) => all.fill(-1, 800, 850)) }
    writeFileSync(at('doubled.npz'), encodeNpz(coo(change)))
    for (const duplicates of ['sum', 'mean', 'last'] as const) {
      const [many, one] = await both(at('doubled.npz'), 4, {
        duplicates,
        negative: 'clip',
        dims: [31, 22, 10],
      })
      expect(many).toEqual(one)
      expect(one).toMatchObject({ dims: [31, 22, 10] })
    }
  })

  it('are not taken from what is not plain: one process says what is wrong', async () => {
    const plain = encodeNpz(coo())
    const files: [string, Uint8Array][] = [
      ['cut', plain.subarray(0, plain.length - 9)],
      [
        'lying',
        encodeNpz({ ...coo(), 'coords.npy': encodeNpy({ shape: [3, 900], data: new Int32Array(2700) }) }),
      ],
      ['decimal', encodeNpz(coo({ 'coords.npy': { shape: [3, 1000], data: new Float64Array(3000) } }))],
      ['fill', encodeNpz(coo({ 'fill_value.npy': { shape: [], data: Float64Array.of(1) } }))],
      ['flat', encodeNpz(coo({ 'shape.npy': { shape: [2], data: BigInt64Array.of(30n, 20n) } }))],
      ['packed', zipSync({ 'coords.npy': encodeNpy({ shape: [3, 1], data: new Int32Array(3) }) })],
      ['text', readFileSync(new URL(import.meta.url))],
    ]
    for (const [name, bytes] of files) {
      writeFileSync(at('odd.npz'), bytes)
      expect(await kindOfShards([at('odd.npz')]), name).toBe('')
      await expect(readTensor(at('odd.npz')), name).rejects.toThrow(/odd\.npz/)
    }
    expect(await kindOfShards([at('own.npz')], { dims: [1, 1, 1] })).toBe('')
    expect(await kindOfShards([at('own.npz')], { mask: 'mask.npy' })).toBe('')
  })
})
