import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readTensor, synthetic, writeTensor } from '#lacuna/index.js'
import { readTnsShard } from '#lacuna/io/drive/processes/readTns.js'
import { linesBetween } from '#lacuna/io/node/files/lines.js'
import { commonOutcome, entriesOf, runInProcesses } from '../../../communicators.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-lines-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.each([
  ['lines of many lengths', '# a\n1 1 1\n\n22 22 22\n3 3 3\n4444 4444 4444\n\n\n5 5 5\n'],
  ['a last line without an end', '1 1 1\n22 22 22\n3 3 3'],
  ['one line', '1 1 1 1 1\n'],
  ['nothing', ''],
])('every line of a file is in one of its ranges, however many there are: %s', async (_, text) => {
  const path = join(folder, 'file.tns')
  writeFileSync(path, text)
  const file = await open(path)
  for (let ranges = 1; ranges <= text.length + 2; ranges++) {
    const found: string[] = []
    for (let k = 0; k < ranges; k++) {
      const [from, to] = [k, k + 1].map((border) => Math.floor((text.length * border) / ranges))
      let lines = ''
      for await (const piece of linesBetween(file, from, to)) lines += Buffer.from(piece).toString()
      // It begins where a line begins, in the range.
      const start = found.join('').length
      if (lines !== '')
        expect(start >= from && start < to, `${ranges} ranges, the one of number ${k}`).toBe(true)
      found.push(lines)
    }
    expect(found.join('')).toBe(text)
  }
  await file.close()
})

it('processes refuse faults of a .tns file and merge its duplicates as one process does', async () => {
  const { tensor } = synthetic({ dims: [40, 30, 20], entries: 2000, rank: 3, seed: 1 })
  const path = join(folder, 'data.tns')
  await writeTensor(path, tensor)
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const cases: [string, (lines: string[]) => string[], object?][] = [
    ['a word', (all) => all.with(1321, '1 2 x 5')],
    ['columns', (all) => all.with(1700, '1 2 3 4 5')],
    ['negative values', (all) => all.with(1000, '1 2 3 -5').with(1990, '1 2 4 -6')],
    ['indices', (all) => all.with(100, '1 2 21 5').with(1990, '41 2 4 6'), { dims: [40, 30, 20] }],
    ['twice', (all) => [...all, '# twice', ...[1500, 17, 100, 1200, 300].map((line) => all[line])]],
    [
      'too large',
      (all) => [...all, ...[1, 2].map(() => all[1500].replace(/\S+$/, '3e38'))],
      { duplicates: 'sum' },
    ],
    ['nothing', () => ['# nothing', '']],
    [
      'merged',
      (all) => [...all, '', ...all.slice(100, 300).map((line) => `${line}5`)],
      { duplicates: 'mean' },
    ],
    ['sound', (all) => all],
  ]
  for (const [name, change, options = {}] of cases) {
    const file = join(folder, `${name}.tns`)
    writeFileSync(file, `${change(lines).join('\n')}\n`)
    const one = await readTensor(file, options).catch((error) => error.message as string)
    expect(typeof one === 'string', name).toBe(!['merged', 'sound'].includes(name))
    for (const more of [{ threads: 1 }, { threads: 2, parallelFrom: 0, deferDuplicateCheck: true }]) {
      const shares = commonOutcome(
        await runInProcesses(3, async (communicator) => {
          const shard = await readTnsShard(communicator, file, { ...options, ...more })
          await shard.deferredDuplicateCheck?.()
          return shard
        }),
      )
      if (typeof one === 'string') expect(shares, name).toBe(one)
      else expect(entriesOf(shares as (typeof one)[]), name).toEqual(entriesOf([one]))
    }
  }
})
