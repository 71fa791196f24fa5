/** The list of mutations fits the sources: an entry whose text has changed would test nothing. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { mutants } from '../scripts/mutantList.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the text of every mutation occurs once in its file, and its tests exist', () => {
  const wrong = mutants.flatMap(({ name, file, find, tests }) => {
    const path = join(root, file)
    const found = existsSync(path) ? readFileSync(path, 'utf8').split(find).length - 1 : 0
    const missing = tests.filter((test) => !existsSync(join(root, test)))
    return found === 1 && missing.length === 0
      ? []
      : [`${name} (${file}): ${found} times; missing: ${missing}`]
  })
  expect(wrong).toEqual([])
})
