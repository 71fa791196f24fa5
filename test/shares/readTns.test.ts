import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { linesBetween } from '#dist/shares/readTns.js'

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
