/** The kernel's table of labels keeps texts of up to 15 bytes; around its word borders equal beginnings must not make labels equal. */
import { beforeAll, expect, it } from 'vitest'
import { RowKernel } from '#lacuna/io/table/source/rowKernel.js'
import { MISSING } from '#lacuna/io/table/source/rows.js'
import { compileTextKernel } from '#lacuna/io/text/kernel.js'

/** The longest text that the kernel's table holds. */
const LONGEST = 15

let module: WebAssembly.Module
beforeAll(async () => {
  module = await compileTextKernel()
})

/** Labels of so many letters: equal but for the last letter, for the one before it, or for the first of the second word. */
function labelsOf(length: number): string[] {
  const same = 'abcdefghijklmnopqrstuvwxyz'.slice(0, length)
  const changed = (at: number, letter: string): string => same.slice(0, at) + letter + same.slice(at + 1)
  const places = [length - 1, length - 2, 8, 7, 0].filter((at) => at < length)
  return [...new Set([same, ...places.flatMap((at) => [changed(at, 'X'), changed(at, 'Y')])])]
}

/** The codes that the kernel finds for labels, after those at even places were remembered under their place. */
function lookedUp(labels: readonly string[]): number[] {
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
  'labels of %i bytes and equal beginnings are found in the kernel under their own codes, and no others',
  (length) => {
    const labels = labelsOf(length)
    expect(lookedUp(labels)).toEqual(
      labels.map((_, row) => (row % 2 === 0 && length <= LONGEST ? row : MISSING)),
    )
  },
)

it('labels that are the beginnings of each other are told apart by the kernel', () => {
  const labels = Array.from({ length: 20 }, (_, n) => 'abcdefghijklmnopqrstuvwxyz'.slice(0, n + 1))
  expect(lookedUp(labels)).toEqual(
    labels.map(({ length }, row) => (row % 2 === 0 && length <= LONGEST ? row : MISSING)),
  )
})
