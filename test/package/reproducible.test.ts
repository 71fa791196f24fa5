/**
 * Builds give the same bytes in any folder and at any time. `npm run reproducible` compares two whole builds; here what makes
 * them differ is looked for: the folder of the build, or the day, in a published file.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The published files of a package. */
const filesOf = (name: string): string[] =>
  readdirSync(join(root, 'packages', name, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tsbuildinfo'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))

it.each(['lacuna', 'cli'])('no published file of %s has the folder or the day of its build in it', (name) => {
  const marks = [root.replace(/\/$/, ''), new Date().toISOString().slice(0, 10)]
  const files = filesOf(name)
  expect(files.length).toBeGreaterThan(100)
  const marked = files.filter((path) => {
    const bytes = readFileSync(path)
    return marks.some((mark) => bytes.includes(mark))
  })
  expect(marked.map((path) => path.slice(root.length))).toEqual([])
})
