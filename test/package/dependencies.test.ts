/** The dependencies are those that docs/packages.md lists, and the lock file has their hashes. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const readJson = (path: string) => JSON.parse(readFileSync(`${root}${path}`, 'utf8'))

/** A package in the lock file. */
interface Locked {
  version: string
  license?: string
  integrity?: string
  resolved?: string
  link?: boolean
  optional?: boolean
  os?: string[]
}
const locked = Object.entries<Locked>(readJson('package-lock.json').packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
)

/** The names of all packages that some package.json depends on, without those of the repository. */
function dependencies(): string[] {
  const folders = readdirSync(`${root}packages`).map((folder) => `packages/${folder}/package.json`)
  const all = ['package.json', ...folders].map(readJson)
  const own = new Set(all.map(({ name }) => name))
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
  const names = all.flatMap((about) => kinds.flatMap((kind) => Object.keys(about[kind] ?? {})))
  return [...new Set(names)].filter((name) => !own.has(name)).sort()
}

/** Binaries of the formatter for other platforms, whose hashes are not known. */
const WITHOUT_HASH = /^node_modules\/@biomejs\/cli-/

describe('the dependencies', () => {
  it('docs/packages.md lists each with the licence of the lock file and a reason', () => {
    const text = readFileSync(`${root}docs/packages.md`, 'utf8').split('## Dependencies')[1].split('\n## ')[0]
    const rows = Array.from(text.matchAll(/^\| `(.+?)` \| (.+?) \| (.+?) \|$/gm), ([, ...cells]) => cells)
    expect(rows.map(([name]) => name).sort()).toEqual(dependencies())
    const licences = Object.fromEntries(locked.map(([path, { license }]) => [path, license]))
    for (const [name, licence, reason] of rows) {
      expect({ name, licence }).toEqual({ name, licence: licences[`node_modules/${name}`] })
      expect(reason.length).toBeGreaterThan(4)
    }
  })

  it('the lock file names no host', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  it("the lock file has a hash of every package but Biome's binaries for other platforms", () => {
    const without = locked.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))
    expect(without.filter(([path]) => !WITHOUT_HASH.test(path))).toEqual([])
    expect(without.filter(([, { optional }]) => !optional)).toEqual([])
    expect(without.length).toBeLessThanOrEqual(8)
  })

  it('only licences that allow any use (h5wasm has its own), and those of libvips, lightningcss and axe-core, are in the lock file', () => {
    const permissive =
      /^(MIT|Apache-2\.0|MIT OR Apache-2\.0|ISC|BSD-[23]-Clause|0BSD|Unlicense|BlueOak-1\.0\.0)$/
    const others = locked.filter(([, { license }]) => !permissive.test(license ?? ''))
    expect(
      others
        .filter(([path]) => !/@img\/sharp-|\/lightningcss|\/axe-core$|\/h5wasm$/.test(path))
        .map(([path]) => path),
    ).toEqual([])
  })
})
