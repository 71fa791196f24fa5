import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { prepareReplacement, replaceFiles } from '#lacuna/io/node/files/writeFileWhole.js'
import { answerTable, readTensor, writeFileWhole, writeTensors } from '#lacuna/io/node/index.js'
import { bytes, rejection } from '../pieces.ts'

let folder = ''
const at = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('several files are one unit', () => {
  const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : undefined)

  test('several files are written as one unit', async () => {
    writeFileSync(at('b'), 'old b')
    chmodSync(at('b'), 0o640)
    await replaceFiles(['a', 'b', 'c'].map((name) => prepareReplacement(at(name), [bytes(`new ${name}`)])))
    expect(['a', 'b', 'c'].map(text)).toEqual(['new a', 'new b', 'new c'])
    expect(statSync(at('b')).mode & 0o777).toBe(0o640)
    expect(readdirSync(folder).sort()).toEqual(['a', 'b', 'c'])
  })

  test.each([
    [
      'while one is written',
      function* () {
        yield bytes('half')
        throw new Error('out of chunks')
      },
    ],
    [
      'when one is put in its place',
      function* () {
        mkdirSync(at('c'))
        yield bytes('whole')
      },
    ],
  ])('of several files none is new if writing fails %s', async (_, chunks) => {
    for (const name of ['a', 'b']) writeFileSync(at(name), `old ${name}`)
    await rejection(
      replaceFiles([
        prepareReplacement(at('fresh'), [bytes('was not there before')]),
        prepareReplacement(at('a'), [bytes('new a')]),
        prepareReplacement(at('b'), [bytes('new b')]),
        prepareReplacement(at('c'), chunks()),
      ]),
    )
    expect(['a', 'b'].map(text)).toEqual(['old a', 'old b'])
    expect(readdirSync(folder).filter((name) => name !== 'c')).toEqual(['a', 'b'])
  })

  test('several files are one unit also if one is Parquet, which keeps its permissions', async () => {
    const tensor = {
      dims: [1, 1],
      indices: [Uint32Array.of(0), Uint32Array.of(0)],
      values: Float32Array.of(1),
    }
    writeFileSync(at('t.parquet'), 'old')
    chmodSync(at('t.parquet'), 0o604)
    await writeTensors([
      { path: at('t.parquet'), tensor },
      { path: at('t.csv'), tensor },
    ])
    expect(statSync(at('t.parquet')).mode & 0o777).toBe(0o604)
    expect((await readTensor(at('t.parquet'))).values).toEqual(tensor.values)
    const broken = { ...tensor, dims: [2, 1], labels: [['same', 'same'], undefined] }
    await rejection(
      writeTensors([
        { path: at('t.parquet'), tensor },
        { path: at('t.csv'), tensor: broken },
      ]),
    )
    expect(readdirSync(folder).sort()).toEqual(['t.csv', 't.parquet'])
    await answerTable(at('t.csv'), tensor, () => Float64Array.of(7), { output: at('t.parquet') })
    expect(statSync(at('t.parquet')).mode & 0o777).toBe(0o604)
    expect(readdirSync(folder).sort()).toEqual(['t.csv', 't.parquet'])
  })
})

/** Runs a program that writes the files a, b and c together, in a process of its own; returns its exit. */
async function writeInProcess(content: string, fault: object): Promise<[number | null, string | null]> {
  const module = new URL('../../../../packages/lacuna/dist/io/node/files/index.js', import.meta.url).href
  const layer = new URL('../../../../scripts/torture/faultyFiles.cjs', import.meta.url).pathname
  const program = `
    const { replaceFiles, prepareReplacement } = await import('${module}')
    const chunks = [new TextEncoder().encode('${content}'.repeat(1000))]
    await replaceFiles(['a', 'b', 'c'].map((name) => prepareReplacement('${folder}/' + name, chunks)))`
  const child = spawn(process.execPath, ['--require', layer, '--input-type=module', '-e', program], {
    env: { ...process.env, TORTURE_FAULT: JSON.stringify(fault) },
    stdio: 'inherit',
  })
  return (await once(child, 'exit')) as [number | null, string | null]
}

test('several files, of which a is new, are each the whole old or the whole new one after a kill at any call, and the next writer removes what is left', async () => {
  const hidden = () => readdirSync(folder).filter((name) => name.startsWith('.'))
  let kills = 0
  let mixed = 0
  for (let call = 1; ; call++) {
    for (const name of readdirSync(folder)) rmSync(at(name))
    for (const name of ['b', 'c']) writeFileSync(at(name), 'old')
    const [, signal] = await writeInProcess('new', { kind: 'kill', at: call, report: '/dev/null' })
    const texts = ['a', 'b', 'c'].map((name) =>
      existsSync(at(name)) ? readFileSync(at(name), 'utf8') : 'none',
    )
    const isNew = texts.map((text) => text === 'new'.repeat(1000))
    expect(texts.map((text, i) => (isNew[i] ? 'new' : text))).toEqual([
      isNew[0] ? 'new' : 'none',
      isNew[1] ? 'new' : 'old',
      isNew[2] ? 'new' : 'old',
    ])
    if (isNew.includes(true) && isNew.includes(false)) mixed++
    if (signal === null) {
      expect(isNew).toEqual([true, true, true])
      break
    }
    kills++
    await writeFileWhole(at('d'), [bytes('another file')])
    expect(hidden(), `after a kill at call ${call}`).toEqual([])
  }
  expect(hidden()).toEqual([])
  // Three files are opened, written, synced and renamed, two get permissions, one has a second link for a
  // while, and the folder is synced; an operation may count twice.
  expect(kills).toBeGreaterThanOrEqual(3 * 4 + 2 + 2 + 1)
  expect(mixed).toBe(2)
})
