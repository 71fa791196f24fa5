/**
 * The public API is what docs/api.md lists: a change of it is a change of that page (npm run --silent api >
 * docs/api.md).
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { takeDefault } from '../../scripts/api/comments.mjs'
import { apiText, readApi, undocumented } from '../../scripts/api.mjs'

it('docs/api.md lists the public API as it is', () => {
  expect(apiText()).toBe(readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8'))
})

it('every export, every member and every type that an export mentions has a doc comment', () => {
  const { exports, members } = undocumented()
  expect(exports).toEqual([])
  expect(members).toEqual([])
})

it('every link of docs/api.md leads to a heading of the page', () => {
  const page = apiText()
  const labels = new Set([...page.matchAll(/^\[([^\]]+)\]: #/gm)].map(([, label]) => label!.toLowerCase()))
  const used = [...page.matchAll(/^(?:Types: |Inherited from )(?:[^`\n]|\n(?!\n))*/gm)].flatMap(([line]) =>
    [...line.matchAll(/\[([^\]]+)\](?!\[)/g)].map(([, label]) => label!),
  )
  expect(used.length).toBeGreaterThan(100)
  expect(used.filter((label) => !labels.has(label.toLowerCase()))).toEqual([])
  const anchors = new Set<string>()
  for (const [, heading] of page.matchAll(/^#{1,3} (.*)$/gm)) {
    const slug = heading!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    let anchor = slug
    for (let again = 1; anchors.has(anchor); again++) anchor = `${slug}-${again}`
    anchors.add(anchor)
  }
  const targets = [...page.matchAll(/(?:\]: |\()#([\w-]+)/g)].map(([, target]) => target!)
  expect(targets.filter((target) => !anchors.has(target))).toEqual([])
})

it('docs/api.md has all overloads and members', () => {
  const page = apiText()
  expect(page.match(/^function complete</gm)).toHaveLength(3)
  // The plain call comes first.
  expect(page).toMatch(
    /### complete\n\nFits a nonnegative CP model of rank R[^#]*?options\?: AutoRankOptions[^#]*FoldedOptions/,
  )
  expect(page).toContain('- `threads?: number` — ')
})

it('defaults on the page are those that doc comments state', () => {
  expect(takeDefault('Worker threads; all cores by default. No matter.')).toEqual({
    text: 'Worker threads. No matter.',
    value: 'all cores',
  })
  expect(takeDefault('A share; 0.1 by default.')).toEqual({ text: 'A share.', value: '0.1' })
  expect(takeDefault('The sizes; by default what the file says.').value).toBe('what the file says')
  expect(takeDefault("'fast' (default), or 'paper'.")).toEqual({
    text: "'fast', or 'paper'.",
    value: "'fast'",
  })
  expect(takeDefault('Rows of the model.')).toEqual({ text: 'Rows of the model.' })
})

it('the main entry has at most 35 exports, and exactly those that docs/api.md lists', async () => {
  const library: object = await import('#lacuna/index.js')
  const { exports } = readApi().sections.find(({ entry }) => entry.name === 'lacuna')!
  expect(exports.length).toBeLessThanOrEqual(35)
  const values = exports.filter(({ kind }) => kind !== 'interface' && kind !== 'type').map(({ name }) => name)
  // FileRun is there as a type only: runs begin with startRun and resumeRun.
  expect(values.filter((name) => name !== 'FileRun').sort()).toEqual(Object.keys(library).sort())
})
