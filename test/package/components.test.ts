/** The lists of components (SBOM) of a release: their subject, completeness and references. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { componentsOf } from '../../scripts/release/components.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** What Node finds from a package's folder: the packages that its installation brings, by following their package.json. */
function installedFrom(folder: string, found = new Set<string>()): Set<string> {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    let at = folder
    while (!existsSync(join(at, 'node_modules', name))) at = join(at, '..')
    const path = join(at, 'node_modules', name)
    const { version } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    if (found.has(`${name}@${version}`)) continue
    found.add(`${name}@${version}`)
    installedFrom(path, found)
  }
  return found
}

it.each([
  ['lacuna', 'packages/lacuna', 'library'],
  ['lacuna-cli', 'packages/cli', 'application'],
] as const)(
  'the list of %s has the package as its subject and everything that it brings',
  (name, folder, type) => {
    const { metadata, components, dependencies } = componentsOf(root, folder, type)
    expect(metadata.component).toMatchObject({ name, type })
    const required = components.filter(({ scope }) => scope === 'required')
    const listed = required.map((component) => `${component.name}@${component.version}`)
    expect([...installedFrom(join(root, folder))].filter((item) => !listed.includes(item))).toEqual([])

    const references = new Set([metadata.component, ...components].map((component) => component['bom-ref']))
    expect(references.size).toBe(components.length + 1)
    expect(
      dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !references.has(ref)),
    ).toEqual([])
    for (const { hashes, licenses, properties, name: own } of components) {
      expect(licenses, own).toBeDefined()
      if (properties === undefined) expect(hashes?.[0].content, own).toMatch(/^[0-9a-f]{128}$/)
    }
  },
)

it('a licence is an identifier or an expression of SPDX, or, where a package names a file, words', () => {
  const { components } = componentsOf(root, 'packages/cli', 'application')
  const licences: Record<
    string,
    { expression?: string; license?: { id?: string; name?: string } } | undefined
  > = Object.fromEntries(components.map(({ name, licenses }) => [name, licenses?.[0]]))
  expect(licences.hono).toEqual({ license: { id: 'MIT' } })
  expect(licences.h5wasm).toEqual({ license: { name: 'SEE LICENSE IN LICENSE.txt' } })
  for (const [name, licence] of Object.entries(licences)) {
    expect(licence?.license?.id ?? 'MIT', name).toMatch(/^[\w.+-]+$/)
    expect(licence?.expression ?? 'MIT', name).toMatch(/^[\w.+-]+( (AND|OR|WITH) [\w.+-]+)*$/)
  }
})

it('what is bundled into the command is listed, and what only its tests use is not', () => {
  const names = (folder: string, type: 'library' | 'application') =>
    componentsOf(root, folder, type).components.map(({ name }) => name)
  expect(names('packages/cli', 'application')).toEqual(
    expect.arrayContaining(['lacuna', 'lacuna-studio', 'preact', 'hyparquet', 'd3', 'fflate']),
  )
  expect(names('packages/lacuna', 'library')).not.toContain('preact')
  expect([...names('packages/cli', 'application'), ...names('packages/lacuna', 'library')]).not.toContain(
    'vitest',
  )
})
