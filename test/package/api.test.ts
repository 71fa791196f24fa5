/** The public API is the list in docs/api.md: whoever changes it says so there, with npm run --silent api > docs/api.md. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { apiText, entries, exportsOf } from '../../scripts/api.mjs'

it('is what docs/api.md says', () => {
  expect(apiText()).toBe(readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8'))
})

it('has a word on every export', () => {
  const silent = [...entries()].flatMap(([entry, file]) =>
    exportsOf(file).flatMap(({ name, documentation }) =>
      documentation.length < 10 ? [`${entry}: ${name}`] : [],
    ),
  )
  expect(silent).toEqual([])
})

it('is small, and all that a program finds there', async () => {
  const library: object = await import('#lacuna/index.js')
  const listed = exportsOf(entries().get('lacuna')!)
  expect(listed.length).toBeLessThanOrEqual(40)
  const values = listed
    .filter(({ signature }) => !/^(interface|type) /.test(signature))
    .map(({ name }) => name)
  // FileRun is there as a type only: runs begin with startRun and resumeRun.
  expect(values.filter((name) => name !== 'FileRun').sort()).toEqual(Object.keys(library).sort())
})
