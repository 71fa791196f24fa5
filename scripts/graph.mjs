// Prints the import graph of the sources: files, lines, siblings per folder, cycles of files, cycles of folders, and deep imports
// (imports of a file inside another room instead of the room's index).
//   npm run graph               this repository
//   node scripts/graph.mjs DIR  another checkout, also one of the layout before npm workspaces (src/, studio/src)
// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @typedef {{ imports: string[], types: string[], lines: number }} Module imports: of values; types: of types alone */

/** Folders whose files are imported one by one: toolboxes, kernels' constants and generated declarations have no index. */
const OPEN_ROOMS = /(^|\/)(base|embedded|kernels\/\w+(\/\w+)?|reference|report|print|options|process)$/

/** All modules below a checkout, by path. @param {string} root @returns {Map<string, Module>} */
export function readGraph(root) {
  const roots = [
    'packages/lacuna/src',
    'packages/figures/src',
    'packages/cli/src',
    'packages/studio/src',
    'bench/src',
    'src',
    'studio/src',
  ]
  /** @type {Map<string, Module>} */
  const graph = new Map()
  for (const folder of roots.filter((path) => existsSync(join(root, path))))
    for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
      if (/\.tsx?$/.test(file)) {
        const path = `${folder}/${file}`
        graph.set(path, readModule(path, readFileSync(join(root, path), 'utf8')))
      }
  for (const module of graph.values()) {
    module.imports = module.imports.filter((path) => graph.has(path))
    module.types = module.types.filter((path) => graph.has(path))
  }
  return graph
}

/** @param {string} path @param {string} code @returns {Module} */
function readModule(path, code) {
  const imports = new Set()
  const types = new Set()
  const statement =
    /^\s*(?:import|export)\s+(type\s)?([^'";]*?)\s*from\s+['"]([^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]/gm
  for (const [, isType, names = '', from, lazy] of code.matchAll(statement)) {
    const target = resolve(path, from ?? lazy)
    if (target === undefined) continue
    const listed =
      /^\{([\s\S]*)\}$/
        .exec(names.trim())?.[1]
        .split(',')
        .map((name) => name.trim()) ?? []
    const areTypes = listed.length > 0 && listed.every((name) => name === '' || name.startsWith('type '))
    const into = isType || areTypes ? types : imports
    into.add(target)
  }
  return { imports: [...imports], types: [...types], lines: code.split('\n').length - 1 }
}

/** @param {string} from @param {string} specifier @returns {string | undefined} a path of the repository */
function resolve(from, specifier) {
  if (specifier.startsWith('#dist/')) return `src/${specifier.slice(6).replace(/\.js$/, '.ts')}`
  if (specifier.startsWith('#cli/')) return `packages/cli/src/${specifier.slice(5)}`
  if (!specifier.startsWith('.')) return undefined
  const path = normalize(join(dirname(from), specifier))
  return /\.tsx?$/.test(path) ? path : `${path}.ts`
}

/**
 * The strongly connected components of a graph that have more than one node.
 * @param {ReadonlyMap<string, Iterable<string>>} graph @returns {string[][]}
 */
export function cycles(graph) {
  const index = new Map()
  const low = new Map()
  /** @type {string[]} */
  const stack = []
  /** @type {string[][]} */
  const found = []
  /** @param {string} node */
  function visit(node) {
    index.set(node, index.size)
    low.set(node, index.get(node))
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)))
    }
    if (low.get(node) !== index.get(node)) return
    const component = stack.splice(stack.indexOf(node))
    if (component.length > 1) found.push(component.sort())
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return found
}

/** All that a module imports. @param {Module} module */
const all = ({ imports, types }) => [...new Set([...imports, ...types])]

/** Files in cycles, of values and types. @param {ReadonlyMap<string, Module>} graph */
export const fileCycles = (graph) => cycles(new Map([...graph].map(([path, module]) => [path, all(module)])))

/** @param {ReadonlyMap<string, Module>} graph */
export const valueCycles = (graph) =>
  cycles(new Map([...graph].map(([path, module]) => [path, module.imports])))

/**
 * The room of a file: the innermost folder above it that has an index, or a toolbox, or else its package.
 * @param {string} path @param {ReadonlyMap<string, Module>} graph
 */
export function roomOf(path, graph) {
  let folder = dirname(path)
  while (!OPEN_ROOMS.test(folder) && !graph.has(`${folder}/index.ts`) && !/(^|\/)src$/.test(folder))
    folder = dirname(folder)
  return folder
}

/**
 * Imports from one room of a file inside another, past its index.
 * @param {ReadonlyMap<string, Module>} graph @returns {{ from: string, to: string }[]}
 */
export function deepImports(graph) {
  const found = []
  for (const [from, module] of graph) {
    const room = roomOf(from, graph)
    for (const to of all(module)) {
      const target = roomOf(to, graph)
      const isInside = target === room || room.startsWith(`${target}/`) || target.startsWith(`${room}/`)
      const isEntry = /(^|\/)src\/\w+\.tsx?$/.test(from)
      if (
        !isInside &&
        !isEntry &&
        !OPEN_ROOMS.test(target) &&
        to !== `${target}/index.ts` &&
        !/(^|\/)src$/.test(target)
      )
        found.push({ from, to })
    }
  }
  return found
}

/** @param {string} root */
function report(root) {
  const graph = readGraph(root)
  const lines = [...graph.values()].reduce((sum, module) => sum + module.lines, 0)
  /** @type {Map<string, number>} */
  const siblings = new Map()
  for (const path of graph.keys()) siblings.set(dirname(path), (siblings.get(dirname(path)) ?? 0) + 1)
  const crowded = [...siblings].sort(([, a], [, b]) => b - a)
  const sizes = [...graph.values()].map((module) => module.lines).sort((a, b) => a - b)
  console.log(
    `files ${graph.size}, lines ${lines}, median ${sizes[sizes.length >> 1]}, largest ${sizes.at(-1)}`,
  )
  console.log(
    `folders ${siblings.size}; with more than 15 files: ${
      crowded
        .filter(([, n]) => n > 15)
        .map(([folder, n]) => `${folder} ${n}`)
        .join(', ') || 'none'
    }`,
  )
  for (const [what, found] of /** @type {const} */ ([
    ['values', valueCycles(graph)],
    ['values and types', fileCycles(graph)],
  ])) {
    console.log(`cycles of ${what}: ${found.length}`)
    for (const cycle of found) console.log(`  ${cycle.join(' ⇄ ')}`)
  }
  const deep = deepImports(graph)
  console.log(`deep imports past an index: ${deep.length}`)
  if (process.argv.includes('--deep')) for (const { from, to } of deep) console.log(`  ${from} → ${to}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  report(process.argv.slice(2).find((arg) => !arg.startsWith('-')) ?? '.')
