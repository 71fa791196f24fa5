import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { compileTextKernel } from '#lacuna/io/text/kernel.js'
import { TnsParser } from '#lacuna/io/tns/parser.js'
import { checkProperty } from '../../../properties.ts'
import { bits } from '../pieces.ts'
import { tnsBytes, tnsText } from '../tnsTexts.ts'

let module: WebAssembly.Module
beforeAll(async () => {
  module = await compileTextKernel()
})

/** What the parser makes of text that is cut at these places, or what it says instead. */
function parsed(content: Uint8Array, cuts: readonly number[], kernel?: WebAssembly.Module): object {
  const parser = new TnsParser({
    name: 'a.tns',
    layout: (columns) => ({ order: Math.max(1, columns - 1), hasValues: columns > 1 }),
  })
  if (kernel) parser.useKernel(kernel)
  try {
    let at = 0
    for (const cut of [...cuts].sort((a, b) => a - b)) {
      const to = Math.min(content.length, Math.max(at, cut))
      parser.push(content.slice(at, to))
      at = to
    }
    parser.push(content.slice(at))
    const { indices, values, header, where } = parser.finish()
    const lines = Array.from(indices[0] ?? [], (_, entry) => where(entry))
    return { indices: indices.map((column) => [...column]), values: bits(values), header, lines }
  } catch (error) {
    return { message: (error as Error).message }
  }
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const cuts = fc.array(fc.nat(1500), { maxLength: 6 })

describe('the kernel takes the lines that the parser takes, with the same bits', () => {
  test.each([
    ['good text', tnsText(0).map(utf8)],
    ['text with faults', tnsText(1).map(utf8)],
    ['any bytes', tnsBytes],
  ])('the kernel parses .tns lines as the parser does: %s', (_, contents) => {
    checkProperty(
      fc.property(contents, cuts, (content, places) => {
        expect(parsed(content, places, module)).toEqual(parsed(content, places))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('the kernel reads .tns values of every length as Number() and Math.fround do', () => {
    const digits = fc.stringMatching(/^[0-9]{0,24}$/)
    const numbers = fc
      .tuple(
        fc.constantFrom('', '-', '+'),
        digits,
        fc.constantFrom('', '.'),
        digits,
        fc.integer({ min: -60, max: 40 }),
      )
      .map(
        ([sign, whole, dot, fraction, e]) =>
          `${sign}${whole}${dot}${dot && fraction}${e % 3 === 0 ? '' : `e${e}`}`,
      )
      .filter((text) => /\d/.test(text.replace(/e.*/, '')) && Number.isFinite(Math.fround(Number(text))))
    checkProperty(
      fc.property(fc.array(numbers, { minLength: 1, maxLength: 40 }), (texts) => {
        const { values } = parsed(utf8(texts.map((text) => `1 1 ${text}\n`).join('')), [], module) as {
          values: number[]
        }
        expect(values).toEqual(bits(Float32Array.from(texts, Number)))
      }),
      { seed: 1, numRuns: 500 },
    )
  })

  test('the kernel reads .tns text of many windows, with many modes and lines that are no entries', () => {
    const line = (e: number): string =>
      `${Array.from({ length: 9 }, (_, m) => ((e * (m + 3)) % 1000) + 1).join(' ')} ${e / 8}`
    const lines = Array.from({ length: 40_000 }, (_, e) => (e % 5 === 3 ? `# ${e}` : line(e)))
    const content = utf8(lines.join('\n'))
    expect(parsed(content, [700_000], module)).toEqual(parsed(content, [700_000]))
  })
})
