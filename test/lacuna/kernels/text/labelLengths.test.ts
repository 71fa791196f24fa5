/**
 * The text kernel's cache of labels holds texts of up to 15 bytes in two words: labels that are equal in one
 * word must not be taken for one another.
 */
import { beforeAll, expect, it } from 'vitest'
import { RowKernel } from '#lacuna/io/table/source/rowKernel.js'
import { MISSING } from '#lacuna/io/table/source/rows.js'
import { compileTextKernel } from '#lacuna/io/text/kernel.js'

/** Bytes of the longest text that the kernel's cache holds. */
const LONGEST = 15

let module: WebAssembly.Module
beforeAll(async () => {
  module = await compileTextKernel()
})

/**
 * Labels of `length` letters that differ in one letter: at the end, before it, around the second word, or at
 * the start.
 */
function labelsOf(length: number): string[] {
  const same = 'abcdefghijklmnopqrstuvwxyz'.slice(0, length)
  const changed = (at: number, letter: string): string => same.slice(0, at) + letter + same.slice(at + 1)
  const positions = [length - 1, length - 2, 8, 7, 0].filter((at) => at < length)
  return [...new Set([same, ...positions.flatMap((at) => [changed(at, 'X'), changed(at, 'Y')])])]
}

/**
 * The codes that the kernel finds for labels, after those at even positions were added to its cache, coded by
 * position.
 */
function lookUpCodes(labels: readonly string[]): number[] {
  const kernel = new RowKernel(module, Uint8Array.of(44), Int32Array.of(0, -1))
  const text = new TextEncoder().encode(labels.map((label) => `${label},1\n`).join(''))
  kernel.text.set(text)
  expect(kernel.split(0, text.length, 0, 1)).toBe(labels.length)
  const known = kernel.readerOf(0).cacheOf({})!
  labels.forEach((_, row) => {
    if (row % 2 === 0) known.remember(row, row)
  })
  const codes = new Uint32Array(labels.length)
  const { missing } = known.lookUp(labels.length, new Uint8Array(labels.length).fill(1), codes)
  expect(missing).toBe(codes.filter((code) => code === MISSING).length)
  return [...codes]
}

it.each([1, 2, 7, 8, 9, 14, 15, 16, 17, 24])(
  'the text kernel finds labels of %i bytes with equal beginnings under their own codes',
  (length) => {
    const labels = labelsOf(length)
    expect(lookUpCodes(labels)).toEqual(
      labels.map((_, row) => (row % 2 === 0 && length <= LONGEST ? row : MISSING)),
    )
  },
)

it('the text kernel distinguishes labels that are prefixes of each other', () => {
  const labels = Array.from({ length: 20 }, (_, n) => 'abcdefghijklmnopqrstuvwxyz'.slice(0, n + 1))
  expect(lookUpCodes(labels)).toEqual(
    labels.map(({ length }, row) => (row % 2 === 0 && length <= LONGEST ? row : MISSING)),
  )
})
