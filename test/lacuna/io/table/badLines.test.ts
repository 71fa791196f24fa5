/** Lines of a table that are no rows: left out and reported, in small files and in those that the wasm kernel splits. */
import { expect, it } from 'vitest'
import { textTable } from '#lacuna/tables.js'

/** A file of text in pieces. */
const fileOf = (text: string, pieceLength: number) => ({
  name: 'table.csv',
  async *open() {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.slice(at, at + pieceLength)
  },
})

it.each([
  ['a few bytes', 10, 7],
  ['pieces of a mebibyte', 120_000, 2 ** 20],
])('a table leaves out lines that are no rows and reports them: %s', async (_, rows, pieceLength) => {
  const good = Array.from({ length: rows }, (_, i) => `a${i},b,${i}`)
  const bad = ['one,two', '"x"y,b,1', 'a,b,3,4']
  const at = [Math.floor(rows / 3), Math.floor(rows / 2), rows]
  const lines = ['name,kind,value', ...good]
  // From the last on, so that the places before stay what they are.
  for (const [k, line] of [...bad.entries()].reverse()) lines.splice(1 + at[k], 0, line)
  const found: [line: number, fields: number, text: string][] = []
  const table = await textTable([fileOf(`${lines.join('\n')}\n`, pieceLength)], {
    onBadLine: (line, fields, bytes) => found.push([line, fields, new TextDecoder().decode(bytes).trim()]),
  })
  let count = 0
  for await (const { rowCount } of table.read([{ column: 0 }, { column: 2 }])) count += rowCount
  expect(count).toBe(rows)
  expect(found).toEqual(bad.map((text, k) => [2 + at[k] + k, [2, 0, 4][k], text]))
  const strict = await textTable([fileOf(`${lines.join('\n')}\n`, pieceLength)])
  await expect(async () => {
    for await (const { rowCount } of strict.read([{ column: 0 }])) count += rowCount
  }).rejects.toThrow(`line ${2 + at[0]}: 2 fields where the first line has 3`)
})
