/** Which lines of a .tns text are entries: the same to the parser in TypeScript and to the kernel. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byteOrderMarkLength } from '#lacuna/io/text/byteOrderMark.js'
import { endOfPlainLine, isEntryLine } from '#lacuna/io/text/entryLines.js'
import { kindByContent, kindByName, packingByName, tableTextByName } from '#lacuna/io/text/fileKind.js'
import { compileTextKernel, MARGIN, startTextKernel } from '#lacuna/io/text/kernel.js'
import { checkProperty } from '../../../properties.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

test('the kernel and the parser agree on which of random lines are entries', async () => {
  const kernel = startTextKernel(await compileTextKernel(), 2 ** 16 + 2 * MARGIN)
  const at = kernel.freeFrom() + MARGIN
  const memory = new Uint8Array(kernel.memory.buffer, at)
  const byte = fc.constantFrom(...utf8(' \t\r#%$&\'1-x"'))
  const line = fc.array(fc.oneof(byte, byte, fc.integer({ min: 0, max: 255 })), { maxLength: 40 })
  checkProperty(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const text = Uint8Array.from(lines.flatMap((bytes) => [...bytes.filter((b) => b !== 10), 10]))
      memory.set(text)
      memory[text.length] = 0
      new Uint8Array(kernel.memory.buffer)[at - 1] = 10
      const starts = [0, ...[...text].flatMap((byte, i) => (byte === 10 ? [i + 1] : []))].slice(0, -1)
      expect(kernel.countLines(at, at + text.length)).toBe(starts.length)
      expect(kernel.entries()).toBe(starts.filter((start) => isEntryLine(text, start)).length)
    }),
    { numRuns: 500 },
  )
})

test('a line is an entry unless it is blank or a comment', () => {
  const isEntry = (line: string): boolean => isEntryLine(utf8(line), 0)
  for (const entry of ['1 1 2\n', ' \t1 1 2\r\n', 'x', '\v\n']) expect(isEntry(entry)).toBe(true)
  for (const other of ['', '\n', '\r\n', ' \t\n', '# 1 1 2\n', '  % x\n', '   '])
    expect(isEntry(other)).toBe(false)
})

test('a comment with a carriage return inside has no plain end', () => {
  expect(endOfPlainLine(utf8('# a\r\n1 1 1\n'), 0)).toBe(5)
  expect(endOfPlainLine(utf8('# a\r1 1 1\n'), 0)).toBe(undefined)
})

test('a byte order mark is the three bytes EF BB BF', () => {
  expect(byteOrderMarkLength(utf8('\ufeff1'))).toBe(3)
  expect(byteOrderMarkLength(Uint8Array.of(0, 0xef, 0xbb, 0xbf), 1)).toBe(3)
  expect(byteOrderMarkLength(Uint8Array.of(0xef, 0xbb))).toBe(0)
})

test('files are recognized by their names, packed or not', () => {
  expect(['A.TNS', 'a.tns.gz', 'a.npy', 'a.npz', 'a.parquet'].map(kindByName)).toEqual([
    'tns',
    'tns',
    'npy',
    'npz',
    'parquet',
  ])
  expect(['a.csv', 'a.tsv.gz', 'a.txt.zst', 'a.ndjson.zst'].map(kindByName)).toEqual([
    'text',
    'text',
    'text',
    'json',
  ])
  expect(['a.tns.zst', 'a.npz.gz', 'a', 'csv', 'a.xls'].map(kindByName)).toEqual(new Array(5).fill(undefined))
  expect(['a.csv', 'a.csv.GZ', 'a.csv.zst'].map(packingByName)).toEqual([undefined, 'gzip', 'zstd'])
  expect(['a.csv.gz', 'a.jsonl', 'a.csv.zst', 'a.dat'].map(tableTextByName)).toEqual([
    'csv',
    'ndjson',
    undefined,
    undefined,
  ])
})

test('pipes are recognized by their first bytes', () => {
  expect(kindByContent(utf8('\ufeff# x\n\n1 2 3.5\n'))).toBe('tns')
  expect(kindByContent(utf8('a,b\n1,2\n'))).toBe('text')
  expect(kindByContent(utf8('\ufeff [{"a":1}]'))).toBe('json')
  expect(kindByContent(utf8('PAR1'))).toBe('parquet')
})
