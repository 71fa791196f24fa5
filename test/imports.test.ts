import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** Per file below src, the files below src that it imports, and the packages; types alone count, too. */
const imports = new Map<string, { files: string[]; packages: string[] }>()
for (const file of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
  if (!file.endsWith('.ts') || file.startsWith('kernels')) continue
  const code = readFileSync(join(src, file), 'utf8')
  const found = Array.from(code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g), ([, path]) => path)
  imports.set(file, {
    files: found.filter((path) => path.startsWith('.')).map((path) => normalize(join(dirname(file), path))),
    packages: found.filter((path) => !path.startsWith('.')),
  })
}

/** A round trip through the graph, or nothing. */
function cycle(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>()
  function visit(at: string, path: readonly string[]): string[] | undefined {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at]
    if (done.has(at)) return
    for (const next of graph.get(at) ?? []) {
      const found = visit(next, [...path, at])
      if (found) return found
    }
    done.add(at)
  }
  for (const start of graph.keys()) {
    const found = visit(start, [])
    if (found) return found
  }
}

/** The files that a file needs, at any remove. */
function reach(start: string): Set<string> {
  const reached = new Set([start])
  for (const file of reached) for (const next of imports.get(file)?.files ?? []) reached.add(next)
  return reached
}

describe('imports go one way', () => {
  const io = [...imports].filter(([file]) => file.startsWith('io/'))

  test('from file to file', () => {
    expect(cycle(new Map(io.map(([file, { files }]) => [file, new Set(files)])))).toBeUndefined()
  })

  test('from folder to folder of io', () => {
    const folders = new Map<string, Set<string>>()
    for (const [file, { files }] of io) {
      const folder = dirname(file)
      const others = files.map(dirname).filter((other) => other.startsWith('io') && other !== folder)
      folders.set(folder, new Set([...(folders.get(folder) ?? []), ...others]))
    }
    expect(cycle(folders)).toBeUndefined()
  })

  test('what a page can use needs nothing of Node or DuckDB', () => {
    const needed = [...reach('browser.ts')].filter((file) => !file.startsWith('engine/'))
    const foreign = needed.flatMap((file) =>
      (imports.get(file)?.packages ?? []).filter((name) => /^(node:|@duckdb|sharp)/.test(name)),
    )
    expect(foreign).toEqual([])
    expect(needed.filter((file) => file.startsWith('io/node'))).toEqual([])
  })

  test('io knows nothing of solving, and of models only what they are', () => {
    const foreign = io.flatMap(([, { files }]) => files.filter((file) => /^(solver|engine|cli)\//.test(file)))
    expect(foreign).toEqual([])
  })
})
