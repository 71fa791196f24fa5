/** The structure of the sources: which room may import which, that there are no cycles, and that doors are used. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cycles, deepImports, fileCycles, readGraph } from '../scripts/graph.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const graph = readGraph(root)
const LIBRARY = 'packages/lacuna/src/'

/** Per room of the library, the rooms below it that it may import; every room may import base and embedded. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  embedded: [],
  kernels: [],
  comm: [],
  tensor: ['comm', 'kernels'],
  engine: ['tensor', 'comm', 'kernels'],
  labels: ['tensor'],
  model: ['tensor', 'comm', 'engine', 'labels'],
  solver: ['tensor', 'comm', 'engine', 'model'],
  image: ['tensor', 'engine', 'model', 'solver'],
  io: ['tensor', 'comm', 'model', 'kernels', 'image', 'labels'],
  client: ['model'],
  predict: ['io', 'model'],
  reference: ['tensor', 'kernels', 'engine'],
}

const roomOf = (file: string): string => file.slice(LIBRARY.length).split('/')[0]
const packageOf = (file: string): string => /^(packages\/\w+|bench)/.exec(file)?.[0] ?? file

describe('imports', () => {
  test('of the library point down the table of layers', () => {
    const wrong = [...graph].flatMap(([file, { imports, types }]) => {
      if (!file.startsWith(LIBRARY) || dirname(file) === LIBRARY.slice(0, -1)) return []
      const room = roomOf(file)
      const allowed = [room, 'base', 'embedded', ...(LAYERS[room] ?? [])]
      return [...imports, ...types]
        .filter((to) => !allowed.includes(roomOf(to)))
        .map((to) => `${file} → ${to}`)
    })
    expect(wrong).toEqual([])
  })

  test('of waits: the library makes promises of its own only with a name (base/waits.ts) or a timer', () => {
    const unnamed = [...graph.keys()]
      .filter((file) => file.startsWith(LIBRARY) && file !== `${LIBRARY}base/waits.ts`)
      .flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .filter((line) => /new Promise|withResolvers/.test(line) && !line.includes('setTimeout(resolve'))
          .map((line) => `${file}: ${line.trim()}`),
      )
    expect(unnamed).toEqual([])
  })

  test('of files have no cycle, not even of types', () => {
    expect(fileCycles(graph)).toEqual([])
  })

  test('of folders inside io have no cycle', () => {
    const folders = new Map<string, Set<string>>()
    for (const [file, { imports, types }] of graph) {
      if (!file.startsWith(`${LIBRARY}io/`)) continue
      const others = [...imports, ...types]
        .map((to) => dirname(to))
        .filter((to) => to.startsWith(`${LIBRARY}io`))
      const from = dirname(file)
      folders.set(from, new Set([...(folders.get(from) ?? []), ...others.filter((to) => to !== from)]))
    }
    expect(cycles(folders)).toEqual([])
  })

  test('of another room go through its index', () => {
    expect(deepImports(graph)).toEqual([])
  })

  test('of another package go through its exports', () => {
    const wrong = [...graph].flatMap(([file, { imports, types }]) =>
      [...imports, ...types]
        .filter(
          (to) =>
            packageOf(to) !== packageOf(file) &&
            !(packageOf(file) === 'bench' && to.endsWith('cli/src/kit.ts')),
        )
        .map((to) => `${file} → ${to}`),
    )
    expect(wrong).toEqual([])
  })

  test('of another workspace are declared in the package.json', () => {
    const undeclared = [...graph.keys()].flatMap((file) => {
      const folder = packageOf(file)
      if (folder === 'bench') return []
      const { name, dependencies, devDependencies } = JSON.parse(
        readFileSync(join(root, folder, 'package.json'), 'utf8'),
      )
      const declared = Object.keys({ [name]: '', ...dependencies, ...devDependencies })
      return [...readFileSync(join(root, file), 'utf8').matchAll(/from '(lacuna[\w-]*)/g)]
        .filter(([, imported]) => !declared.includes(imported))
        .map(([, imported]) => `${file} → ${imported}`)
    })
    expect(undeclared).toEqual([])
  })

  test('of what a page can use need nothing of Node or DuckDB', () => {
    const reached = new Set([`${LIBRARY}browser.ts`, `${LIBRARY}internalInBrowser.ts`])
    for (const file of reached)
      for (const to of [...(graph.get(file)?.imports ?? []), ...(graph.get(file)?.types ?? [])])
        reached.add(to)
    const foreign = [...reached].filter((file) => {
      const code = readFileSync(join(root, file), 'utf8')
      return /^import (?!type)[^'"]*from '(node:|@duckdb|sharp|koffi)/m.test(code)
    })
    expect(foreign.filter((file) => !file.includes('/engine/'))).toEqual([])
    expect([...reached].filter((file) => /\/io\/(node|drive)\//.test(file))).toEqual([])
  })

  test('no folder has more than 16 files', () => {
    const siblings = new Map<string, number>()
    for (const file of graph.keys()) siblings.set(dirname(file), (siblings.get(dirname(file)) ?? 0) + 1)
    expect([...siblings].filter(([, files]) => files > 16)).toEqual([])
  })
})

test('every path of a source file that the documentation names exists', () => {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  const missing = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/`((?:[\w.-]+\/)+[\w.-]*(?:\.tsx?|\.mjs|\/))`/g)]
        .map(([, path]) => path)
        .filter((path) =>
          /^(packages|test|scripts|bench|base|comm|tensor|kernels|engine|model|solver|io|image|reference)\//.test(
            path,
          ),
        )
        .filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, LIBRARY, path)))
        .map((path) => `${page}: ${path}`),
    )
  expect(missing).toEqual([])
})

/** The folders above a file, the innermost first. */
const foldersAbove = (file: string): string[] =>
  file === '.' ? [] : [dirname(file), ...foldersAbove(dirname(file))]

test('every source file that a comment names exists', () => {
  const names = new Set([...graph.keys()].map((file) => basename(file)))
  const missing = [...graph.keys()].flatMap((file) => {
    const comments = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line) => /(?:^\s*\*|\/\*\*|\/\/ )(.*)/.exec(line)?.[1] ?? [])
    const folders = [...foldersAbove(file), LIBRARY]
    return comments
      .flatMap((comment) => [...comment.matchAll(/(?<![\w./-])[a-z][\w-]*(?:\/[\w.-]+)*\.(?:tsx?|mjs)\b/g)])
      .map(([path]) => path)
      .filter((path) => !folders.some((folder) => existsSync(join(root, folder, path))) && !names.has(path))
      .map((path) => `${file}: ${path}`)
  })
  expect(missing).toEqual([])
})
