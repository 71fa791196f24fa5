import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { explainFileError } from '#lacuna/io/node/files/fileError.js'
import { checkOutputs, openFile, readTensor, writeFileWhole } from '#lacuna/io/node/index.js'
import { bytes, manyLines, rejection } from '../pieces.ts'

let folder = ''
const at = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function content(path: string): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const piece of (await openFile(path)).source) parts.push(piece.slice())
  return Buffer.concat(parts).toString()
}

describe('openFile', () => {
  test('openFile reads the content, unpacked by name or by first bytes, and counts packed bytes', async () => {
    writeFileSync(at('a.tns'), manyLines)
    writeFileSync(at('a.tns.gz'), gzipSync(manyLines))
    writeFileSync(at('packed.tns'), gzipSync(manyLines))
    for (const name of ['a.tns', 'a.tns.gz', 'packed.tns']) {
      const file = await openFile(at(name))
      expect(file.byteLength).toBe(statSync(at(name)).size)
      expect(file.bytesRead()).toBe(0)
      let text = ''
      for await (const piece of file.source) text += Buffer.from(piece).toString('latin1')
      expect(text === manyLines).toBe(true)
      expect(file.bytesRead()).toBe(file.byteLength)
    }
  })

  test('openFile reads gzip of several members as one', async () => {
    writeFileSync(
      at('a.tns.gz'),
      Buffer.concat([gzipSync('1 1 1\n'), gzipSync('2 2 2\n'), gzipSync('3 3 3\n')]),
    )
    expect(await content(at('a.tns.gz'))).toBe('1 1 1\n2 2 2\n3 3 3\n')
  })

  test('openFile reads files of no or one byte', async () => {
    writeFileSync(at('none'), '')
    writeFileSync(at('one'), '1')
    expect(await content(at('none'))).toBe('')
    expect(await content(at('one'))).toBe('1')
  })

  test.each<[string, (packed: Buffer) => Uint8Array, string]>([
    [
      'truncated',
      (packed) => packed.subarray(0, packed.length >> 1),
      'the gzip data ends too early; the file is truncated',
    ],
    [
      'cut in the check sum',
      (packed) => packed.subarray(0, -3),
      'the gzip data ends too early; the file is truncated',
    ],
    [
      'cut in the header',
      (packed) => packed.subarray(0, 5),
      'the gzip data ends too early; the file is truncated',
    ],
    [
      'with a wrong check sum',
      (packed) => packed.map((byte, i) => (i === packed.length - 6 ? byte ^ 1 : byte)),
      'the gzip data is damaged',
    ],
    ['that is none', () => bytes('1 1 1\n'), 'the name ends in .gz, but this is no gzip file'],
    ['that is empty', () => new Uint8Array(0), 'the name ends in .gz, but this is no gzip file'],
  ])('openFile refuses gzip %s', async (_, damage, message) => {
    writeFileSync(at('a.tns.gz'), damage(gzipSync(manyLines)))
    const error = await rejection(readTensor(at('a.tns.gz')))
    expect(error.name).toBe('InputError')
    expect(error.message).toContain(`${at('a.tns.gz')}: ${message}`)
  })

  test('openFile refuses missing files and folders', async () => {
    expect((await rejection(openFile(at('a')))).message).toBe(
      `${at('a')}: there is no such file; check the name.`,
    )
    expect((await rejection(openFile(folder))).message).toBe(`${folder}: this is a folder; name a file.`)
  })
})

describe('writeFileWhole', () => {
  test('writeFileWhole replaces a file, packed if the name ends in .gz', async () => {
    writeFileSync(at('a.txt'), 'a much longer old content')
    chmodSync(at('a.txt'), 0o606)
    await writeFileWhole(at('a.txt'), [bytes('one '), bytes('two')])
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('one two')
    expect(statSync(at('a.txt')).mode & 0o777).toBe(0o606)
    await writeFileWhole(at('a.gz'), [bytes('one '), bytes('two')])
    expect(gunzipSync(readFileSync(at('a.gz'))).toString()).toBe('one two')
    expect(readdirSync(folder).sort()).toEqual(['a.gz', 'a.txt'])
  })

  test('writeFileWhole writes through a link', async () => {
    mkdirSync(at('real'))
    writeFileSync(at('real/a'), 'old')
    symlinkSync(at('real/a'), at('link'))
    await writeFileWhole(at('link'), [bytes('new')])
    expect(readFileSync(at('real/a'), 'utf8')).toBe('new')
  })

  test.each(['a.txt', 'a.txt.gz'])(
    'writeFileWhole leaves %s as it was, and nothing else, if the chunks fail',
    async (name) => {
      writeFileSync(at(name), 'old')
      const failure = new Error('out of chunks')
      function* chunks() {
        yield bytes('half ')
        throw failure
      }
      expect(await rejection(writeFileWhole(at(name), chunks()))).toBe(failure)
      expect(readdirSync(folder)).toEqual([name])
      expect(readFileSync(at(name), 'utf8')).toBe('old')
    },
  )

  test('writeFileWhole leaves nothing behind if the last step fails', async () => {
    async function* chunks() {
      yield bytes('half')
      mkdirSync(at('a')) // now the temporary file cannot be renamed over it
    }
    const error = await rejection(writeFileWhole(at('a'), chunks()))
    expect(error.message).toBe(`${at('a')}: this is a folder; name a file.`)
    expect(readdirSync(folder)).toEqual(['a'])
  })

  test('writeFileWhole refuses paths that cannot be a file', async () => {
    expect((await rejection(writeFileWhole(folder, []))).message).toBe(
      `${folder}: this is a folder; name a file to write.`,
    )
    expect((await rejection(writeFileWhole('/dev/null', []))).message).toContain('this is a device or pipe')
    expect((await rejection(writeFileWhole(at('no/a'), []))).message).toBe(
      `${at('no/a')}: there is no folder ${at('no')}; create it first.`,
    )
    writeFileSync(at('file'), '')
    expect((await rejection(writeFileWhole(at('file/a'), []))).message).toContain(
      'a part of the path is a file',
    )
  })

  test.each([
    ['EACCES', 'you have no permission to write it'],
    ['ENOSPC', 'there is no space left to write it'],
    ['EIO', 'the system cannot write it (EIO)'],
  ])('the error code %s of a file becomes a sentence', (code, message) => {
    const error = explainFileError(
      Object.assign(new Error(code), { code, syscall: 'write' }),
      'a.tns',
      'write',
    )
    expect(error).toMatchObject({ name: 'InputError', message: expect.stringContaining(`a.tns: ${message}`) })
  })
})

describe('what is written', () => {
  test.each<[string, (string | undefined)[], (string | undefined)[]]>([
    ['by its own path', ['in'], ['in']],
    ['by another path to it', ['./sub/../in'], ['in']],
    ['by a symbolic link', ['soft'], ['in']],
    ['by a hard link', ['hard'], ['in']],
    ['through a linked folder', ['linked/new'], ['sub/new']],
    ['if it is another output', ['new', 'new'], []],
    ['if it is another output by another path', ['new', undefined, 'sub/../new'], [undefined]],
  ])('an output never replaces a file of the same command %s', async (_, outputs, inputs) => {
    writeFileSync(at('in'), 'data')
    mkdirSync(at('sub'))
    symlinkSync(at('in'), at('soft'))
    linkSync(at('in'), at('hard'))
    symlinkSync(at('sub'), at('linked'))
    const place = (name: string | undefined) => (name === undefined ? undefined : join(folder, '.', name))
    const raw = (name: string | undefined) => (name?.startsWith('.') ? `${folder}/${name}` : place(name))
    if (inputs.includes('sub/new')) writeFileSync(at('sub/new'), '')
    const error = await rejection(checkOutputs(outputs.map(raw), inputs.map(raw)))
    expect(error).toMatchObject({ name: 'InputError', code: 'option' })
    expect(error.message).toMatch(/never replaces what it is made from|written twice/)
    await checkOutputs([at('other'), at('third')], [at('in'), at('soft'), '-'])
    await expect(checkOutputs([''], [])).rejects.toThrow('The name of a file to write is empty; give one.')
    await expect(checkOutputs([], ['-', '-'])).rejects.toThrow('stdin (-) can be read only once')
  })
})
