/** One version everywhere: packages, Python, citation, changelog, and the names of tarballs that pages and messages show. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pages, root, textOf } from '../docs/blocks.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const FOUND = [
  ...readdirSync(join(root, 'packages')).map(
    (name) => [`packages/${name}/package.json`, /"version": "([^"]+)"/] as const,
  ),
  ['CITATION.cff', /^version: (.+)$/m],
  ['python/pyproject.toml', /^version = "([^"]+)"$/m],
  ['python/lacuna/__init__.py', /^__version__ = '([^']+)'$/m],
  ['CHANGELOG.md', /^## (.+)$/m],
] as const

it.each(FOUND)('%s has the version of the repository', (path, pattern) => {
  expect(pattern.exec(readFileSync(join(root, path), 'utf8'))?.[1]).toBe(version)
})

it('the tarballs that pages and messages name have the version of the repository', () => {
  const paths = [...pages(), 'python/lacuna/_command.py']
  const names = paths.flatMap((path) =>
    [...textOf(path).matchAll(/lacuna(?:-cli)?-(\d[\d.]*)\.tgz/g)].map(([, own]) => `${path}: ${own}`),
  )
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !name.endsWith(`: ${version}`))).toEqual([])
})

it('files of this version and of every earlier one are kept to be opened', () => {
  const [major, minor] = version.split('.')
  expect(readdirSync(join(root, 'test/golden/releases'))).toContain(`${major}.${minor}`)
})
